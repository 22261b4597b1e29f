import { tracingChannel } from 'node:diagnostics_channel'
import type { Middleware, Outcome, Refusal } from '@fw/core'
import type { CoreTrace } from './core-trace.ts'
import { CurrentRequest, type Observed } from './observed.ts'

/** Receives the requests to this process. */
export interface RequestListener {
  onStart(observed: Observed): void
  /** Called when the exchange has ended and its access-log entry is written. */
  onFinish(observed: Observed, outcome: Outcome, finished: number): void
  /** Called when the protocol engine refuses a request. No middleware or handler receives such a request. */
  onRefused(refusal: Refusal): void
}

/**
 * Observes every request through the diagnostics channel `fw.request`, which needs no changes in the application. The
 * observer's middleware measures other middleware and handlers, and assigns log records to requests.
 */
export class Observer {
  readonly current: CurrentRequest = new CurrentRequest()
  readonly #listener: RequestListener
  readonly #channel = tracingChannel<CoreTrace, Observed>('fw.request')
  readonly #prefix = `${Date.now().toString(36)}.${process.pid.toString(36)}.`
  readonly #subscribers = { asyncEnd: () => {}, start: () => {}, end: () => {}, asyncStart: () => {}, error: () => {} }
  #count = 0

  constructor(listener: RequestListener) {
    this.#listener = listener
    this.#channel.start.bindStore(this.current.store, (trace) => this.#observe(trace))
    this.#channel.subscribe(this.#subscribers)
  }

  /** Returns middleware for the whole application. Pass the access log to assign its entries to their requests. */
  around(accessLog: Middleware): readonly Middleware[] {
    const before: Middleware = (ctx, next) => {
      const observed = this.current.store.getStore()
      // Listeners run in the order in which they were added: this one, the access log's, then the one from `after`.
      if (observed !== undefined) ctx.onFinish(() => (this.current.finishing = observed))
      return next()
    }
    const after: Middleware = (ctx, next) => {
      const observed = this.current.store.getStore()
      if (observed !== undefined) {
        ctx.onFinish((outcome) => {
          this.current.finishing = undefined
          this.#listener.onFinish(observed, outcome, performance.now())
        })
      }
      return next()
    }
    const refused = (refusal: Refusal): void => this.#listener.onRefused(refusal)
    return [before, this.measured('accessLog', accessLog), Object.assign(after, { refused })]
  }

  /** Wraps middleware to measure the time from its call to the end of the inner middleware and the handler. */
  measured(name: string, middleware: Middleware): Middleware {
    const measuring: Middleware = (ctx, next) => {
      const observed = this.current.store.getStore()
      if (observed === undefined) return middleware(ctx, next)
      const from = performance.now()
      const place = observed.around.push({ name, from, to: from }) - 1
      const close = (): void => void (observed.around[place] = { name, from, to: performance.now() })
      return middleware(ctx, () => {
        const inner = next()
        // Return the same promise. If middleware did not await it, a second promise could reject unhandled.
        inner.then(close, close)
        return inner
      })
    }
    return middleware.refused === undefined ? measuring : Object.assign(measuring, { refused: middleware.refused })
  }

  /** The innermost middleware, which measures the handler. */
  readonly handler: Middleware = async (_ctx, next) => {
    const observed = this.current.store.getStore()
    if (observed === undefined) return next()
    const from = performance.now()
    try {
      await next()
    } finally {
      observed.handler = { name: 'handler', from, to: performance.now() }
    }
  }

  close(): void {
    this.#channel.start.unbindStore(this.current.store)
    this.#channel.unsubscribe(this.#subscribers)
  }

  #observe(trace: CoreTrace): Observed {
    const id = this.#prefix + (this.#count++).toString(36)
    const observed = { id, trace, started: performance.now(), by: '', around: [], handler: undefined, logs: [] }
    this.#listener.onStart(observed)
    return observed
  }
}
