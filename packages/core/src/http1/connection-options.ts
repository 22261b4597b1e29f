import type { Deadlines } from '../engine/event-loop/deadlines.ts'
import type { Drainable, EngineHost } from '../engine/engine-host.ts'
import type { Transport } from '../engine/transport.ts'

/** Options that all connections of a listener share. */
export interface Http1ConnectionOptions {
  readonly host: EngineHost
  readonly deadlines: Deadlines
  /** Serves a transport whose next bytes are the HTTP/2 preface. Default: the preface is not recognized. */
  readonly onHttp2?: ((transport: Transport) => void) | undefined
  /** Called for a persistent connection without TLS. `isShared` reports whether it reads into the shared buffer. */
  readonly onReceiving?: ((isShared: boolean) => void) | undefined
  /** Called with the first bytes of a connection if they are refused as a request. The bytes are valid only during the call. */
  readonly onRefusedStart?: ((received: Buffer, transport: Transport) => void) | undefined
  readonly onClose: (connection: Drainable) => void
}

/** A connection's state. */
export type Phase =
  /** No bytes have arrived yet. */
  | 'fresh'
  /** The connection is waiting for its next request. */
  | 'idle'
  /** Part of a head has arrived. */
  | 'head'
  /** A request is being received or answered. */
  | 'exchange'
  /** The last response has been written. Further bytes are discarded until the peer has read it. */
  | 'lingering'
  /** Another owner is using the transport. The connection receives only `onClose`. */
  | 'upgraded'
  | 'closed'
