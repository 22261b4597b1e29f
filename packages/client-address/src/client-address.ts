import { firstForwardedFor, forwardedForFromLast } from './forwarded.ts'
import { parseAddress } from './ip-address.ts'
import { FORWARDING_HEADERS, type ForwardingHeader, type Trust } from './trusted-proxies.ts'

/** The peer of a connection over a Unix socket, for `believedAddress`. `undefined` is an unknown peer. */
export const UNIX_SOCKET = 'unix'

/** The fields of a request, such as `ctx.headers` or a standard `Headers`. */
export interface FieldSource {
  /** Lines of the same name joined with `, `, or `null` without one. */
  get(name: string): string | null
}

/**
 * The address a request says it comes from: the first entry of `x-forwarded-for`, else `x-real-ip`, else the first
 * element of `forwarded`, else the peer. What is no IP address falls through to the next.
 *
 * Any client can claim any address so; `believedAddress` takes the word of trusted proxies alone.
 *
 * @returns `undefined` if there is no address at all, as on a Unix socket
 */
export function claimedAddress(headers: FieldSource, peer: string | undefined): string | undefined {
  return (
    firstEntry(headers.get('x-forwarded-for')) ??
    address(headers.get('x-real-ip')) ??
    address(firstForwarded(headers.get('forwarded'))) ??
    peerAddress(peer)
  )
}

/**
 * The address of the last proxy or client that is not trusted: walks from the peer towards the client, believing each
 * entry as long as the one who added it is trusted. An entry that is no address ends the walk.
 *
 * @param peer Address of the peer, or `UNIX_SOCKET`, which is trusted if `trust` names any proxy
 * @returns `undefined` if there is no address at all, as on a Unix socket; also if the trust names a field in which a
 * trusted proxy did not leave an address, so that nobody passes for that proxy
 */
// docs/decisions/0074
export function believedAddress(headers: FieldSource, peer: string | undefined, trust: Trust): string | undefined {
  const { isTrusted, trustsUnixSocket, header } = trust
  let client = peer === UNIX_SOCKET ? undefined : peerAddress(peer)
  if (peer === UNIX_SOCKET ? !trustsUnixSocket : !isTrusted(client, 1)) return client
  let hop = 1
  for (const entry of entriesFromLast(headers, header)) {
    const next = address(entry)
    if (next === undefined) return header === undefined ? client : undefined
    client = next
    hop++
    if (!isTrusted(client, hop)) return client
  }
  return header === undefined || hop > 1 ? client : undefined
}

/** The address of the peer, in the form that is shown. */
export function peerAddress(peer: string | undefined): string | undefined {
  if (peer !== lastPeer) {
    lastShown = shownForm(peer)
    lastPeer = peer
  }
  return lastShown
}

// Requests of one connection, and all that come by one proxy, have the same peer.
let lastPeer: string | undefined
let lastShown: string | undefined

function shownForm(peer: string | undefined): string | undefined {
  if (peer === undefined || KERNEL_ADDRESS.test(peer)) return peer
  return MAPPED_V4.test(peer) ? peer.slice('::ffff:'.length) : parseAddress(peer)
}

/** What the kernel says of a peer has the shortest form already; only zones and IPv4-mapped addresses need reading. */
const KERNEL_ADDRESS = /^(?:[\d.]+|(?!::ffff:)[\da-f:]+)$/
/** Every IPv4 client of a listener for both families. */
const MAPPED_V4 = /^::ffff:[\d.]+$/

/** What proxies added, the nearest one first: in the field that is named, else in the first that the request has. */
function entriesFromLast(headers: FieldSource, header: ForwardingHeader | undefined): Iterable<string> {
  for (const name of header === undefined ? FORWARDING_HEADERS : [header]) {
    const value = headers.get(name)
    if (value === null) continue
    if (name === 'forwarded') return forwardedForFromLast(value)
    return name === 'x-real-ip' ? [value] : value.split(',').toReversed()
  }
  return []
}

function firstEntry(list: string | null): string | undefined {
  if (list === null) return undefined
  const comma = list.indexOf(',')
  return address(comma === -1 ? list : list.slice(0, comma))
}

function firstForwarded(field: string | null): string | undefined {
  return field === null ? undefined : firstForwardedFor(field)
}

function address(entry: string | null | undefined): string | undefined {
  return typeof entry === 'string' ? parseAddress(entry.trim()) : undefined
}
