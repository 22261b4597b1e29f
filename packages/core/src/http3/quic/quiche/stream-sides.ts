import type { QuicheConnection as Quiche } from './binding.ts'
import type { OverheadBudget } from './overhead-budget.ts'
import type { QuicConnectionEvents } from '../quic.ts'

/** The side of a stream that we read, as quiche numbers them. */
export const READ_SIDE = 0
/** The side of a stream that we write to. */
export const WRITE_SIDE = 1

/** What each side of the streams of a connection needs of the whole. */
export interface StreamSides {
  readonly quiche: Quiche
  readonly overhead: OverheadBudget
  /** Who is told: nobody until the handshake is done, and when the connection is closed. */
  events(): QuicConnectionEvents | undefined
  /** There may be something to send: has that done in this turn of the event loop. */
  schedule(): void
  /** The peer has opened a stream for both directions. */
  onOpened(streamId: number): void
  /** A side of the stream was reset or stopped, by whomever. */
  onGivenUp(streamId: number): void
  /** Nothing more will be read. */
  onReceivingOver(streamId: number): void
  /** Nothing more will be written. */
  onSendingOver(streamId: number): void
}

/** Tells the peer that a side of a stream was given up. */
export function shutDown(sides: StreamSides, streamId: number, side: 0 | 1, code: number): void {
  sides.onGivenUp(streamId)
  try {
    sides.quiche.streamShutdown(streamId, side, code)
  } catch {
    // The stream ended meanwhile: there is nothing to shut down.
  }
  sides.schedule()
}
