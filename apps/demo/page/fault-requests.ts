import type { FaultName, RequestMessage } from '../src/live/messages.ts'

const PATHS: Readonly<Partial<Record<FaultName, string>>> = {
  throw: '/api/break/throw',
  sleep: '/api/break/sleep',
  leave: '/api/break/sleep',
  large: '/api/echo',
}

/** Number of requests to remember, because the feed can be faster than the response. */
const MAX_REMEMBERED = 5
/** Time after the start of a fault in which its request can arrive, in milliseconds. */
const FRESH_MS = 30_000

/** Finds the request that caused a fault among the requests in the feed. */
export class FaultRequests {
  #remembered: RequestMessage[] = []
  #waiting: ((request: RequestMessage) => void) | undefined

  add(request: RequestMessage): void {
    this.#remembered = [...this.#remembered, request].slice(-MAX_REMEMBERED)
    this.#waiting?.(request)
  }

  /** Returns the request for the last fault of this kind; `undefined` if the feed does not deliver it in time. */
  async next(fault: FaultName, timeoutMs: number): Promise<RequestMessage | undefined> {
    const path = PATHS[fault]
    // The server refuses these requests before it has read their path.
    if (path === undefined) return undefined
    const isIt = (request: RequestMessage): boolean =>
      request.path === path && Date.now() - request.startedAt < FRESH_MS && request.status > 399
    const { promise, resolve } = Promise.withResolvers<RequestMessage | undefined>()
    this.#waiting = (request) => isIt(request) && resolve(request)
    const known = this.#remembered.findLast(isIt)
    if (known !== undefined) resolve(known)
    const timer = setTimeout(() => resolve(undefined), timeoutMs)
    const request = await promise
    clearTimeout(timer)
    this.#waiting = undefined
    this.#remembered = this.#remembered.filter((each) => each !== request)
    return request
  }
}
