import type { BufferAccount } from '../engine/budget/buffer-account.ts'
import type { RequestGate } from '../engine/budget/request-gate.ts'
import type { EngineHost } from '../engine/engine-host.ts'
import type { Deadlines } from '../engine/event-loop/deadlines.ts'
import type { Http3Error } from './errors.ts'
import type { QuicConnection } from './quic/quic.ts'

/** Connection services that a request stream uses. */
export interface StreamOwner<Stream> {
  readonly quic: QuicConnection
  /** The server, with its limits. */
  readonly host: EngineHost
  readonly deadlines: Deadlines
  /** Whether the server has announced extended CONNECT on the connection. */
  readonly allowsTunnels: boolean
  /** Starts the connection's requests. */
  readonly gate: RequestGate
  /** Counts the bytes buffered for the connection; created on first access. */
  readonly account: BufferAccount
  onConnectionError(error: Http3Error): void
  /** The client aborted a request before the response. */
  onAborted(): void
  /** The stream has ended. */
  onStreamOver(stream: Stream): void
}
