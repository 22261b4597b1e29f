import type { Limits } from '../../options/limits.ts'
import { ProtocolError } from '../errors.ts'

/** Enforces `minBodyBytesPerSecond`, the minimum average rate of a request body. */
export class BodyRate {
  readonly #minBytesPerSecond: number
  readonly #graceMs: number
  #startMs: number | undefined = undefined
  #bytes = 0

  constructor({ minBodyBytesPerSecond, bodyRateGraceMs }: Pick<Limits, 'minBodyBytesPerSecond' | 'bodyRateGraceMs'>) {
    this.#minBytesPerSecond = minBodyBytesPerSecond
    this.#graceMs = bodyRateGraceMs
  }

  /**
   * Counts received bytes.
   *
   * @throws {ProtocolError} 408 if the average rate is too low after `bodyRateGraceMs`
   */
  add(bytes: number): void {
    if (this.#minBytesPerSecond === 0) return
    const nowMs = performance.now()
    this.#startMs ??= nowMs
    this.#bytes += bytes
    const elapsedMs = nowMs - this.#startMs
    if (elapsedMs > this.#graceMs && (this.#bytes / elapsedMs) * 1000 < this.#minBytesPerSecond) {
      throw new ProtocolError(408, 'Request body too slow', 'stream')
    }
  }

  /** Restarts the measurement, because the server made the client wait. */
  restart(): void {
    this.#startMs = undefined
    this.#bytes = 0
  }
}
