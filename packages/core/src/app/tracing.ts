import { channel } from 'node:diagnostics_channel'
import type { ConnectionTrace, Context, Outcome, Refusal, RequestTiming } from '@fw/types'
import { asContext } from '../context/as-context.ts'
import type { RequestContext } from '../context/context.ts'
import { flushedChannel, requestChannel, traceExchange } from '../engine/tracing/request-trace.ts'

/**
 * Message on the channels `tracing:fw.request:*` and `fw.request.flushed`. All events for a request share one message
 * object.
 */
export interface RequestTrace {
  /** The context of the request. */
  readonly context: Context
  /** Timestamps of the request. Each is set when the request reaches that point. */
  readonly timing: Readonly<RequestTiming>
  /**
   * The connection; `undefined` if none of this library's engines received the request, as with `server.fetch` and
   * adapters.
   */
  readonly connection: ConnectionTrace | undefined
  /** The stream ID; `undefined` on HTTP/1.1. */
  readonly stream: number | undefined
  /** Number of the request on its connection, from 1; `undefined` without a connection. */
  readonly nth: number | undefined
  /** The value that the handler or a middleware function threw. Set from `error` on. */
  error?: unknown
  /** The outcome of the exchange. Set from `asyncStart` on. */
  outcome?: Outcome
}

const refusedChannel = channel('fw.request.refused')

/**
 * Runs a request and publishes its events: `start`, `end` after the synchronous part, `error` after a throw, and
 * `asyncStart` and `asyncEnd` after the exchange. Stores bound to `start` are set in the handler.
 *
 * Publishes `fw.request.flushed` when the last response byte has been sent, which can be before or after `asyncEnd`.
 */
export function trace(context: RequestContext, run: () => void): void {
  const exchange = (context.exchange.trace ??= traceExchange())
  const { timing, connection, stream, nth } = exchange
  timing.routed = performance.now()
  const message: RequestTrace = { context: asContext(context), timing, connection, stream, nth }
  context.trace = message
  context.onFinish((outcome) => {
    message.outcome = outcome
    requestChannel.asyncStart.publish(message)
    requestChannel.asyncEnd.publish(message)
  })
  if (flushedChannel.hasSubscribers) exchange.onFlushed = () => flushedChannel.publish(message)
  const runToEnd = (): void => {
    try {
      run()
    } finally {
      requestChannel.end.publish(message)
    }
  }
  // `runStores` costs more than publishing all events, even without stores.
  if (requestChannel.start.hasSubscribers) requestChannel.start.runStores(message, runToEnd)
  else runToEnd()
}

/** Publishes a thrown value as the `error` event for its request. */
export function traceError({ trace: message }: RequestContext, error: unknown): void {
  if (message === undefined) return
  message.error = error
  requestChannel.error.publish(message)
}

/** Publishes a request that no handler receives. */
export function traceRefusal(refusal: Refusal): void {
  refusedChannel.publish(refusal)
}
