import type { BufferAccount } from '../engine/budget/buffer-account.ts'
import type { Deadlines } from '../engine/event-loop/deadlines.ts'
import type { EngineHost } from '../engine/engine-host.ts'
import type { ErrorCode } from './errors.ts'
import type { SpareWindow } from './receive-windows.ts'
import type { ResponseFields } from './response-head.ts'
import type { Sender } from './sending/sender.ts'

/** Gives an exchange access to its connection. */
export interface StreamOwner<Exchange> {
  readonly host: EngineHost
  readonly deadlines: Deadlines
  readonly scheme: 'http' | 'https'
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  readonly hasProxySource: boolean
  readonly sender: Sender
  readonly responseFields: ResponseFields
  readonly spareWindow: SpareWindow
  /** Account of the bytes buffered for the connection; created on first access. */
  readonly account: BufferAccount
  /** Called when the deadline of an exchange has changed. */
  onDeadlineSet(deadlineMs: number): void
  /** Schedules `watchBody` after all frames that arrived together. */
  watchSoon(exchange: Exchange): void
  /** Ends the stream of an exchange with RST_STREAM. Has no effect on an ended stream. */
  resetStream(exchange: Exchange, code: ErrorCode): void
  /** Called when request and response are complete. */
  onComplete(exchange: Exchange): void
}
