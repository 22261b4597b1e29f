import { RateBudget } from '../engine/event-loop/rate-budget.ts'
import type { Limits } from '../options/limits.ts'
import { ConnectionError, ErrorCode } from './errors.ts'

/**
 * Frames without effect (PING, SETTINGS, empty DATA, PRIORITY …) that one connection may send at once, and per second in
 * the long run. nghttp2 uses the same two numbers against floods.
 */
const IDLE_FRAMES_BURST = 10_000
const IDLE_FRAMES_PER_SECOND = 330

/**
 * Counts what a client can repeat at little cost to itself, and ends the connection when it is too much.
 *
 * Other limits of the same kind sit where the bytes are counted: `frames/field-block.ts` (CONTINUATION frames),
 * `request-body.ts` (small DATA frames) and `hpack/decoder.ts` (the size of a field section).
 *
 * @see RFC 9113 §10.5
 */
export class FloodLimits {
  /** Streams that the client reset, or made the server reset. */
  readonly #resets: RateBudget
  readonly #idleFrames: RateBudget

  constructor({ maxStreamResetBurst, maxStreamResetsPerSecond }: Limits, nowMs: number) {
    this.#resets = new RateBudget(maxStreamResetBurst, maxStreamResetsPerSecond, nowMs)
    this.#idleFrames = new RateBudget(IDLE_FRAMES_BURST, IDLE_FRAMES_PER_SECOND, nowMs)
  }

  /** Counts a stream that was reset (CVE-2023-44487, CVE-2025-8671). @throws {ConnectionError} ENHANCE_YOUR_CALM if there are too many */
  countReset(): void {
    if (this.#resets.spend(performance.now())) return
    throw new ConnectionError(ErrorCode.ENHANCE_YOUR_CALM, 'Too many streams reset')
  }

  /** Counts a frame without effect. @throws {ConnectionError} ENHANCE_YOUR_CALM if there are too many */
  countIdleFrame(): void {
    if (this.#idleFrames.spend(performance.now())) return
    throw new ConnectionError(ErrorCode.ENHANCE_YOUR_CALM, 'Too many frames that ask for nothing')
  }
}
