import type { Limits } from '../../options/limits.ts'
import { ProtocolError } from '../errors.ts'

/** Judges how fast a request body arrives, where a least rate is asked for. */
export class BodyRate {
  readonly #minBytesPerSecond: number
  readonly #graceMs: number
  #startMs: number | undefined = undefined
  #bytes = 0

  constructor({ minBodyBytesPerSecond, bodyRateGraceMs }: Pick<Limits, 'minBodyBytesPerSecond' | 'bodyRateGraceMs'>) {
    this.#minBytesPerSecond = minBodyBytesPerSecond
    this.#graceMs = bodyRateGraceMs
  }

  /** @throws {ProtocolError} 408 if, on the whole, bytes came in more slowly than they must */
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

  /** The client was made to wait: what comes is judged anew. */
  restart(): void {
    this.#startMs = undefined
    this.#bytes = 0
  }
}
