import { RateBudget } from '../engine/event-loop/rate-budget.ts'
import type { Limits } from '../options/limits.ts'
import { ConnectionError, ErrorCode } from './errors.ts'

/**
 * Number of frames that change nothing (empty DATA, PRIORITY, acknowledgements, unknown types …) and SETTINGS frames that a
 * connection may send in a burst, and per second on average. nghttp2 uses the same two numbers against floods.
 */
const IDLE_FRAMES_BURST = 10_000
const IDLE_FRAMES_PER_SECOND = 330

/**
 * Limits the frames that cost the server more than the client. Ends a connection that exceeds a limit.
 *
 * Similar limits are enforced where the bytes are counted: `frames/field-block.ts` (CONTINUATION frames),
 * `request-body.ts` (small DATA frames) and `hpack/decoder.ts` (the size of a field section).
 *
 * @see RFC 9113 §10.5
 */
export class FloodLimits {
  /** Budget for streams that the client resets, or makes the server reset. */
  readonly #resets: RateBudget
  readonly #idleFrames: RateBudget

  constructor({ maxStreamResetBurst, maxStreamResetsPerSecond }: Limits, nowMs: number) {
    this.#resets = new RateBudget(maxStreamResetBurst, maxStreamResetsPerSecond, nowMs)
    this.#idleFrames = new RateBudget(IDLE_FRAMES_BURST, IDLE_FRAMES_PER_SECOND, nowMs)
  }

  /**
   * Counts a reset stream (CVE-2023-44487, CVE-2025-8671).
   *
   * @throws {ConnectionError} ENHANCE_YOUR_CALM if the limit is exceeded
   */
  countReset(): void {
    if (this.#resets.spend(performance.now())) return
    throw new ConnectionError(ErrorCode.ENHANCE_YOUR_CALM, 'Too many streams reset')
  }

  /** Counts a frame that has no effect. @throws {ConnectionError} ENHANCE_YOUR_CALM if the limit is exceeded */
  countIdleFrame(): void {
    if (this.#idleFrames.spend(performance.now())) return
    throw new ConnectionError(ErrorCode.ENHANCE_YOUR_CALM, 'Too many frames that have no effect')
  }
}
