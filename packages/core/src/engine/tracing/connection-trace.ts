import { channel } from 'node:diagnostics_channel'
import type { ConnectionTrace, ProtocolText, TlsTrace } from '@fw/types'

/** The part of a connection's transport that traces use. */
export interface TracedTransport {
  readonly openedAt: number
  readonly tls: TlsTrace | undefined
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  /** The trace of the connection. Only `connectionTrace` sets and reads it. */
  trace: ConnectionTrace | undefined
}

const openChannel = channel('fw.connection.open')
const closeChannel = channel('fw.connection.close')

let connections = 0

/** Returns the trace of a connection, created on first access. Most connections never need one. */
export function connectionTrace(transport: TracedTransport, protocol: ProtocolText): ConnectionTrace {
  const trace = (transport.trace ??= newTrace(transport, protocol)) as MutableTrace
  // The connection began as HTTP/1.1, and the HTTP/2 preface followed.
  trace.protocol = protocol
  return trace
}

/** Publishes `fw.connection.open`. */
export function traceOpen(transport: TracedTransport, protocol: ProtocolText): void {
  if (openChannel.hasSubscribers) openChannel.publish(connectionTrace(transport, protocol))
}

/** Publishes `fw.connection.close`. */
export function traceClose(transport: TracedTransport, protocol: ProtocolText): void {
  if (transport.trace === undefined && !closeChannel.hasSubscribers) return
  const trace = connectionTrace(transport, protocol) as MutableTrace
  trace.closedAt = performance.now()
  closeChannel.publish(trace)
}

type MutableTrace = { -readonly [Key in keyof ConnectionTrace]: ConnectionTrace[Key] }

function newTrace({ openedAt, remoteAddress, remotePort, tls }: TracedTransport, protocol: ProtocolText): MutableTrace {
  return { id: ++connections, protocol, openedAt, closedAt: undefined, remoteAddress, remotePort, tls }
}
