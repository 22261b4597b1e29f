import { tracingChannel } from 'node:diagnostics_channel'
import type { Context, Outcome } from '@fw/types'
import { asContext, type RequestContext } from '../context/context.ts'

/** The message of the channels `tracing:fw.request:*`. All events of a request carry the same object. */
export interface RequestTrace {
  /** The context of the request. */
  readonly context: Context
  /** The value that the handler or a middleware threw. Set from `error` on. */
  error?: unknown
  /** The end of the exchange. Set from `asyncStart` on. */
  outcome?: Outcome
}

const channel = tracingChannel<RequestTrace, string>('fw.request')
const traces = new WeakMap<RequestContext, RequestTrace>()

/** Reports whether a channel has subscribers. Without them, tracing costs only this check. */
export function isTraced(): boolean {
  return channel.hasSubscribers
}

/**
 * Runs a request and publishes its events: `start`, `end` after the synchronous part, `error` after a throw, and
 * `asyncStart` and `asyncEnd` after the exchange. Stores bound to `start` are set in the handler.
 */
export function trace(context: RequestContext, run: () => void): void {
  const message: RequestTrace = { context: asContext(context) }
  traces.set(context, message)
  context.onFinish((outcome) => {
    message.outcome = outcome
    channel.asyncStart.publish(message)
    channel.asyncEnd.publish(message)
  })
  channel.start.runStores(message, () => {
    try {
      run()
    } finally {
      channel.end.publish(message)
    }
  })
}

/** Publishes a thrown value as the event `error` of its request. */
export function traceError(context: RequestContext, error: unknown): void {
  const message = traces.get(context)
  if (message === undefined) return
  message.error = error
  channel.error.publish(message)
}
