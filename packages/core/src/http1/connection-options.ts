import type { Socket } from 'node:net'
import type { Deadlines } from '../engine/event-loop/deadlines.ts'
import type { Drainable, EngineHost } from '../engine/engine-host.ts'

/** What connections of a listener share. */
export interface Http1ConnectionOptions {
  readonly scheme: 'http' | 'https'
  readonly host: EngineHost
  readonly deadlines: Deadlines
  /** Takes over a socket whose first bytes, given back to it, are the HTTP/2 preface. */
  readonly onHttp2?: ((socket: Socket) => void) | undefined
  /** Whether a connection of clear text that is kept alive is read into the buffer that all share. */
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
  /** Somebody else has the socket; only its end is of interest. */
  | 'upgraded'
  | 'closed'
