import type { QuicheConnection as Quiche } from './binding.ts'
import type { OverheadBudget } from './overhead-budget.ts'
import type { QuicConnectionEvents } from '../quic.ts'

/** Receiving side of a stream, in quiche's numbering. */
export const READ_SIDE = 0
/** Sending side of a stream. */
export const WRITE_SIDE = 1

/** Connection services for the two stream sides. */
export interface StreamSides {
  readonly quiche: Quiche
  readonly overhead: OverheadBudget
  /** Returns the event handler; `undefined` before the handshake completes and after the connection closes. */
  events(): QuicConnectionEvents | undefined
  /** Schedules a send in this event-loop turn. */
  schedule(): void
  /** The peer has opened a bidirectional stream. */
  onOpened(streamId: number): void
  /** One side of the stream was reset or stopped by either peer. */
  onAborted(streamId: number): void
  /** The receiving side has ended. */
  onReceivingOver(streamId: number): void
  /** The sending side has ended. */
  onSendingOver(streamId: number): void
}

/** Shuts one side of a stream down with an error code. */
export function shutDown(sides: StreamSides, streamId: number, side: 0 | 1, code: number): void {
  sides.onAborted(streamId)
  try {
    sides.quiche.streamShutdown(streamId, side, code)
  } catch {
    // The stream has already ended.
  }
  sides.schedule()
}
