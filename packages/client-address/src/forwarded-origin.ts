import { peerAddress, UNIX_SOCKET, type FieldSource } from './client-address.ts'
import { forwardedFromLast, type ForwardedElement } from './forwarded.ts'
import { parseAddress } from './ip-address.ts'
import type { OriginPart, Trust } from './trusted-proxies.ts'

/** The parts of the origin that trusted proxies report; `undefined` for a part that they do not report. */
export interface ForwardedOrigin {
  /** The scheme of the client's request. */
  readonly scheme: 'http' | 'https' | undefined
  /** The host, with the port if there is one. It is unchecked: validate the host before you use it. */
  readonly host: string | undefined
}

/** Traefik reports `ws` and `wss` for WebSocket handshakes. */
const SCHEMES: ReadonlyMap<string, 'http' | 'https'> = new Map([
  ['http', 'http'],
  ['https', 'https'],
  ['ws', 'http'],
  ['wss', 'https'],
])

const NOTHING: ForwardedOrigin = { scheme: undefined, host: undefined }

/**
 * Returns the parts of the origin that the proxies in `trust` report. From `forwarded`, reads the element that the outermost
 * trusted proxy added.
 *
 * @param peer The address of the peer, or `UNIX_SOCKET`
 * @returns `null` if a trusted proxy sent a part twice or sent an unknown scheme
 */
export function forwardedOrigin(headers: FieldSource, peer: string | undefined, trust: Trust): ForwardedOrigin | null {
  const { header, origin } = trust
  if (origin.length === 0 || !isTrustedPeer(peer, trust)) return NOTHING
  const reported = header === 'forwarded' ? fromElement(outermost(headers, trust)) : fromFields(headers)
  const [schemes, hosts] = [only('scheme', reported.schemes), only('host', reported.hosts)]
  if (schemes.length > 1 || hosts.length > 1) return null
  const [reportedScheme] = schemes
  const scheme = reportedScheme === undefined ? undefined : SCHEMES.get(reportedScheme.toLowerCase())
  if (reportedScheme !== undefined && scheme === undefined) return null
  return { scheme, host: hosts[0] }

  function only(part: OriginPart, values: readonly string[]): readonly string[] {
    return origin.includes(part) ? values : []
  }
}

interface Reported {
  readonly schemes: readonly string[]
  readonly hosts: readonly string[]
}

function fromElement({ protos, hosts }: ForwardedElement): Reported {
  return { schemes: protos, hosts }
}

function fromFields(headers: FieldSource): Reported {
  return { schemes: valuesOf(headers, 'x-forwarded-proto'), hosts: valuesOf(headers, 'x-forwarded-host') }
}

/** Several values are ambiguous, because some proxies append their own value and others forward the client's values. */
function valuesOf(headers: FieldSource, name: string): string[] {
  const value = headers.get(name)
  return value === null ? [] : value.split(',').map((each) => each.trim())
}

function isTrustedPeer(peer: string | undefined, { isTrusted, trustsUnixSocket }: Trust): boolean {
  return peer === UNIX_SOCKET ? trustsUnixSocket : isTrusted(peerAddress(peer), 1)
}

/** Returns the element that the trusted proxy nearest to the client added. The peer, which is trusted, added the last one. */
function outermost(headers: FieldSource, { isTrusted }: Trust): ForwardedElement {
  let outer: ForwardedElement = { nodes: [], protos: [], hosts: [] }
  let hop = 1
  for (const element of forwardedFromLast(headers.get('forwarded') ?? '')) {
    outer = element
    const [node, ...others] = element.nodes
    const address = node === undefined || others.length > 0 ? undefined : parseAddress(node.trim())
    hop++
    if (address === undefined || !isTrusted(address, hop)) break
  }
  return outer
}
