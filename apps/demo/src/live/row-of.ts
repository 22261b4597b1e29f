import type { Context } from '@fw/core'
import { PROTOCOLS, ROUTES, type ProtocolName } from './messages.ts'

const OTHER = ROUTES.indexOf('other routes')
const NONE = ROUTES.indexOf('no route')

/** Returns a route's row in the flow. */
export function rowOf(pattern: string | undefined, status: number): number {
  if (pattern === undefined) return NONE
  // Treat a path without a file as a missing page.
  if (pattern === '/*path' && status === 404) return NONE
  const row = ROUTES.indexOf(pattern)
  return row === -1 ? OTHER : row
}

/** Returns the short name of a protocol. */
export function protocolName(protocol: Context['protocol']): ProtocolName {
  if (protocol === 'HTTP/1.1') return 'h1'
  return protocol === 'HTTP/2.0' ? 'h2' : 'h3'
}

/** Returns the index of a protocol in every list by protocol. */
export function protocolIndex(protocol: Context['protocol']): number {
  return PROTOCOLS.indexOf(protocolName(protocol))
}
