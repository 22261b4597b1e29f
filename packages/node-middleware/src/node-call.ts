import { HttpError, withCode } from '@fw/options'
import type { Context, Next, Outcome } from '@fw/types'
import { BodyReadError } from './node-error.ts'
import type { NodeRequest } from './node-request.ts'
import { NodeResponse } from './node-response.ts'
import { filterIfPatched } from './patched-response.ts'
import { type PendingCall, reportLate, type ResponseOutput } from './response-output.ts'

/**
 * Continues with the next middleware, or throws an error into the error handlers of the router. For `'route'` and `'router'`,
 * responds as if no route matched.
 */
export type NodeNext = (error?: unknown) => void

/** Middleware of Express or Connect, as this package calls it. */
export type AnyNodeHandler = (request: NodeRequest, response: NodeResponse, next: NodeNext) => unknown

type State = 'running' | 'passed' | 'failed' | 'responded'

/** One call of middleware. It ends when the middleware calls `next`, responds or fails. */
export class NodeCall implements PendingCall {
  readonly #ctx: Context
  readonly #response: NodeResponse
  readonly #output: ResponseOutput
  readonly #next: Next | undefined
  #state: State = 'running'
  #isNextCalled = false
  #value: unknown = undefined
  #waiting: PromiseWithResolvers<unknown> | undefined = undefined

  /** @param next `undefined` for a route handler */
  constructor(ctx: Context, response: NodeResponse, next: Next | undefined) {
    this.#ctx = ctx
    this.#response = response
    this.#output = NodeResponse.outputOf(response)
    this.#next = next
  }

  /**
   * Runs the middleware.
   *
   * @returns The result of `next`; `undefined` after a response; or a promise of one of them
   * @throws the error from the middleware
   */
  run(handler: AnyNodeHandler): unknown {
    const response = this.#response
    this.#output.call = this
    this.#output.isRefused = false
    let result: unknown
    try {
      result = handler(response.req, response, (error) => this.#onNext(error))
    } catch (error) {
      if (this.#state !== 'running') throw error
      this.#fail(error)
    }
    if (isThenable(result)) result.then(undefined, (error: unknown) => this.#onNext(error ?? rejected()))
    if (this.#state === 'failed') throw this.#value
    if (this.#state !== 'running') return this.#value
    NodeResponse.watch(response)
    this.#waiting = Promise.withResolvers()
    return this.#waiting.promise
  }

  onResponse(): void {
    this.#settle('responded', undefined)
  }

  onOutcome({ aborted }: Outcome): void {
    if (aborted) this.#abandon()
    else this.onResponse()
  }

  onError(error: unknown): void {
    this.#fail(error)
  }

  #onNext(error: unknown): void {
    const isFirst = !this.#isNextCalled
    this.#isNextCalled = true
    if (this.#output.isAbandoned) this.#abandon()
    else if (this.#state !== 'running') {
      // Middleware often calls `next` after a response, with the error of something that it did in the meantime.
      if (error) reportLate(this.#ctx, error)
      else if (!isFirst)
        reportLate(this.#ctx, withCode('FW_NEXT_CALLED_TWICE', new Error('next() was called twice. Call it once.')))
    } else if (!error) this.#pass(this.#next)
    // Express skips the handlers that middleware guards, and continues with other routes. fw has found one route.
    else if (error === 'route' || error === 'router') this.#pass(undefined)
    else this.#fail(error)
  }

  /** Ends the call without a response, and without a record in the log. */
  #abandon(): void {
    this.#settle('failed', this.#ctx.signal.reason)
  }

  /** Runs the rest of the chain, or responds with 404 without one. It runs within `next`, so that `AsyncLocalStorage.run(store, next)` works. */
  #pass(next: Next | undefined): void {
    this.#output.commit()
    if (this.#state !== 'running') return
    this.#state = 'passed'
    this.#output.call = undefined
    filterIfPatched(this.#response)
    try {
      const value: unknown = next === undefined ? this.#ctx.notFound() : next()
      this.#value = value
      this.#waiting?.resolve(value)
    } catch (error) {
      this.#value = error
      this.#state = 'failed'
      this.#waiting?.reject(error)
    }
  }

  #fail(given: unknown): void {
    const error = errorOf(given)
    this.#output.reset()
    // The error response passes through patched methods too.
    filterIfPatched(this.#response)
    this.#settle('failed', error)
  }

  #settle(state: State, value: unknown): void {
    if (this.#state !== 'running') return
    this.#state = state
    this.#value = value
    this.#output.call = undefined
    if (state === 'failed') this.#waiting?.reject(value)
    else this.#waiting?.resolve(value)
  }
}

/**
 * Returns the error to throw: the original of an error from the body, or an `HttpError` for a 4xx error of `http-errors`. Returns
 * any other error unchanged.
 */
function errorOf(error: unknown): unknown {
  if (error instanceof BodyReadError) return error.cause
  if (!(error instanceof Error)) return error
  // Only `http-errors` sets `expose`. Clients of other servers also set a status, which says nothing about this response.
  const expose: unknown = Reflect.get(error, 'expose')
  if (typeof expose !== 'boolean') return error
  const status: unknown = Reflect.get(error, 'status')
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 400 || status > 499) return error
  const headers: unknown = Reflect.get(error, 'headers')
  const refusal = withCode(
    'FW_MIDDLEWARE_REFUSED',
    new HttpError(
      status,
      expose ? `The request was refused: ${error.message}` : 'The request was refused',
      isFields(headers) ? headers : {},
    ),
  )
  return Object.assign(refusal, { cause: error })
}

function isFields(headers: unknown): headers is Readonly<Record<string, string>> {
  if (typeof headers !== 'object' || headers === null) return false
  return Object.values(headers).every((value) => typeof value === 'string')
}

function rejected(): Error {
  return withCode('FW_THROWN_VALUE', new Error('fromNode: the middleware rejected without a reason'))
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
