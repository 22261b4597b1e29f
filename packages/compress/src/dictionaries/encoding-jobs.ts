import { Pool } from '../pool.ts'

interface Job {
  readonly result: Promise<Uint8Array | undefined>
  /** The signals of the requests that wait for the result. */
  readonly requests: AbortSignal[]
}

/** Encodes bodies on the thread pool. Equal bodies that are requested at the same time are encoded once. */
export class EncodingJobs {
  readonly #pool: Pool
  readonly #maxJobs: number
  readonly #running = new Map<string, Job>()
  #count = 0

  /** @param maxWaiting Maximum number of jobs that wait for the pool */
  constructor(maxPoolJobs: number, maxWaiting: number) {
    this.#pool = new Pool(maxPoolJobs)
    this.#maxJobs = maxPoolJobs + maxWaiting
  }

  /**
   * Runs a job as soon as the pool has room.
   *
   * @param key Equal for equal bodies; `undefined` for a body without such a key
   * @returns `undefined` if too many jobs are waiting. The promise resolves with `undefined` if all requests have ended before the
   *   job began
   */
  run(
    key: string | undefined,
    request: AbortSignal,
    encode: () => Promise<Uint8Array>,
  ): Promise<Uint8Array | undefined> | undefined {
    const known = key === undefined ? undefined : this.#running.get(key)
    if (known !== undefined) {
      known.requests.push(request)
      return known.result
    }
    if (this.#count === this.#maxJobs) return undefined
    const requests = [request]
    const result = this.#start(key, requests, encode)
    if (key !== undefined) this.#running.set(key, { result, requests })
    return result
  }

  async #start(
    key: string | undefined,
    requests: readonly AbortSignal[],
    encode: () => Promise<Uint8Array>,
  ): Promise<Uint8Array | undefined> {
    const forget = (): void => {
      if (key !== undefined && this.#running.get(key)?.requests === requests) this.#running.delete(key)
    }
    this.#count++
    try {
      return await this.#pool.run(async () => {
        if (requests.some(({ aborted }) => !aborted)) return encode()
        // A later request must not get this result.
        forget()
        return undefined
      })
    } finally {
      this.#count--
      forget()
    }
  }
}
