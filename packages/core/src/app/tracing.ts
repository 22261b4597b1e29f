import { tracingChannel } from 'node:diagnostics_channel'
import type { Context, Outcome } from '@fw/types'
import { asContext, type RequestContext } from '../context/context.ts'

/** What the channels `tracing:fw.request:*` carry: one object for all events of a request. */
export interface RequestTrace {
  readonly context: Context
  /** What the handler or a middleware threw, from `error` on. */
  error?: unknown
  /** How the exchange ended, from `asyncStart` on. */
  outcome?: Outcome
}

const channel = tracingChannel<RequestTrace, string>('fw.request')
const traces = new WeakMap<RequestContext, RequestTrace>()

/** Whether anybody listens; nobody pays for anything else. */
export function isTraced(): boolean {
  return channel.hasSubscribers
}

/**
 * Runs a request between its events: `start`, then `end` when the synchronous part is done, `error` for something
 * thrown, and `asyncStart` and `asyncEnd` when the exchange is over. Stores bound to `start` hold in the handler.
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

/** Tells of something that was thrown. */
export function traceError(context: RequestContext, error: unknown): void {
  const message = traces.get(context)
  if (message === undefined) return
  message.error = error
  channel.error.publish(message)
}
