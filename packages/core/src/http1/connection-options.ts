import type { Socket } from 'node:net'
import type { Deadlines } from '../engine/deadlines.ts'
import type { Drainable, EngineHost } from '../engine/engine.ts'

/** What connections of a listener share. */
export interface Http1ConnectionOptions {
  readonly scheme: 'http' | 'https'
  readonly host: EngineHost
  readonly deadlines: Deadlines
  /** Takes over a socket whose first octets, given back to it, are the HTTP/2 preface. */
  readonly onHttp2?: ((socket: Socket) => void) | undefined
  /** Whether a connection of clear text that is kept alive is read into the buffer that all share. */
  readonly onReceiving?: ((isShared: boolean) => void) | undefined
  readonly onClose: (connection: Drainable) => void
}
