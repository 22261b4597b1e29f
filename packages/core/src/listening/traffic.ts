import type { ProtocolText } from '@fw/types'
import type { Drainable } from '../engine/engine-host.ts'

/** Counts by protocol. */
export type CountByProtocol = Record<ProtocolText, number>

/** Connections and their requests at one moment. */
export interface Traffic {
  /** Open connections, except those that wait for a PROXY header or a TLS handshake. */
  readonly connections: CountByProtocol
  /** Requests whose head was received and whose exchange has not ended. */
  readonly requests: CountByProtocol
}

/** Returns counts of zero. */
export function noTraffic(): Traffic {
  return {
    connections: { 'HTTP/1.1': 0, 'HTTP/2.0': 0, 'HTTP/3.0': 0 },
    requests: { 'HTTP/1.1': 0, 'HTTP/2.0': 0, 'HTTP/3.0': 0 },
  }
}

/** Adds a connection and its requests. Counting on demand adds no cost to connections or requests. */
export function countConnection({ protocol, requestsInFlight }: Drainable, { connections, requests }: Traffic): void {
  connections[protocol]++
  requests[protocol] += requestsInFlight
}
