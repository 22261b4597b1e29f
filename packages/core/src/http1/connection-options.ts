import type { Deadlines } from '../engine/event-loop/deadlines.ts'
import type { Drainable, EngineHost } from '../engine/engine-host.ts'
import type { Transport } from '../engine/transport.ts'

/** What connections of a listener share. */
export interface Http1ConnectionOptions {
  readonly host: EngineHost
  readonly deadlines: Deadlines
  /** Takes over a transport whose next bytes are the HTTP/2 preface. */
  readonly onHttp2?: ((transport: Transport) => void) | undefined
  /** Reports whether a persistent connection without TLS reads into the buffer that all connections share. */
  readonly onReceiving?: ((isShared: boolean) => void) | undefined
  readonly onClose: (connection: Drainable) => void
}

/** Where a connection stands. */
export type Phase =
  /** Nothing has arrived yet. */
  | 'fresh'
  /** Between two requests. */
  | 'idle'
  /** Part of a head has arrived. */
  | 'head'
  /** A request is being received, answered, or both. */
  | 'exchange'
  /** Everything was sent; what still arrives is thrown away until the peer has seen it. */
  | 'lingering'
  /** Another owner has the transport; only its end still matters. */
  | 'upgraded'
  | 'closed'
