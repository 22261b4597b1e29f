import { firstForwardedFor, forwardedForFromLast } from './forwarded.ts'
import { parseAddress } from './ip-address.ts'
import { FORWARDING_HEADERS, type ForwardingHeader, type Trust } from './trusted-proxies.ts'

/** The peer of a connection over a Unix socket, for `believedAddress`. An unknown peer is `undefined` instead. */
export const UNIX_SOCKET = 'unix'

/** The header fields of a request, such as `ctx.headers` or a standard `Headers`. */
export interface FieldSource {
  /** Returns the value; several fields with that name are joined by `, `; `null` if the field is absent. */
  get(name: string): string | null
}

/**
 * Returns the address that a request claims. Reads the first entry of `x-forwarded-for`, then `x-real-ip`, then the first
 * element of `forwarded`, then the peer's address. Skips values that are not IP addresses.
 *
 * Any client can forge this address. `believedAddress` reads only what trusted proxies added.
 *
 * @returns `undefined` if there is no address, as on a Unix socket
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
 * Returns the client's address behind trusted proxies. Reads the entries that trusted proxies added, from the peer toward the
 * client. The first untrusted address is that of the client. An entry that is not an address ends the search.
 *
 * @param peer The peer's address, or `UNIX_SOCKET`, which is trusted if `trust` names any proxy
 * @returns `undefined` if there is no address, as on a Unix socket. With a named field, also `undefined` if a trusted
 *   proxy added no address, because the proxy would otherwise be mistaken for the client
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

/** Returns the peer's address without a zone, and an IPv4-mapped address as IPv4. */
export function peerAddress(peer: string | undefined): string | undefined {
  if (peer !== lastPeer) {
    lastShown = shownForm(peer)
    lastPeer = peer
  }
  return lastShown
}

// Requests on one connection or through one proxy have the same peer.
let lastPeer: string | undefined
let lastShown: string | undefined

function shownForm(peer: string | undefined): string | undefined {
  if (peer === undefined || KERNEL_ADDRESS.test(peer)) return peer
  return MAPPED_V4.test(peer) ? peer.slice('::ffff:'.length) : parseAddress(peer)
}

/** Matches addresses that the kernel already reports in the shortest form: without a zone, and not IPv4-mapped. */
const KERNEL_ADDRESS = /^(?:[\d.]+|(?!::ffff:)[\da-f:]+)$/
/** Matches IPv4 clients of a dual-stack listener. */
const MAPPED_V4 = /^::ffff:[\d.]+$/

/**
 * Returns the entries that proxies added, starting with the last. Reads the named field, or else the first forwarding field in
 * the request.
 */
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
