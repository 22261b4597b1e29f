import type { BufferAccount } from '../engine/budget/buffer-account.ts'
import type { Deadlines } from '../engine/event-loop/deadlines.ts'
import type { EngineHost } from '../engine/engine-host.ts'
import type { ErrorCode } from './errors.ts'
import type { SpareWindow } from './receive-windows.ts'
import type { ResponseFields } from './response-head.ts'
import type { Sender } from './sending/sender.ts'

/** The connection of an exchange. */
export interface StreamOwner<Exchange> {
  readonly host: EngineHost
  readonly deadlines: Deadlines
  readonly scheme: 'http' | 'https'
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  readonly sender: Sender
  readonly responseFields: ResponseFields
  readonly spareWindow: SpareWindow
  /** Counts the bytes that are held for the connection; made on first access. */
  readonly account: BufferAccount
  /** The exchange has another deadline. */
  onDeadlineSet(deadlineMs: number): void
  /** Calls `watchBody` after all frames that arrived together. */
  watchSoon(exchange: Exchange): void
  /** Ends the stream of an exchange by a frame. */
  resetStream(exchange: Exchange, code: ErrorCode): void
  /** Request and response are complete. */
  onComplete(exchange: Exchange): void
}
