import { tracingChannel } from 'node:diagnostics_channel'
import type { Context, Middleware, Next } from '@fw/types'
import { isThenable } from './compose.ts'

/** Message on the `tracing:fw.middleware:*` channels. All events for one middleware call share one message object. */
export interface MiddlewareTrace {
  /** The context of the request, the same object as in its `RequestTrace`. */
  readonly context: Context
  /** Name of the middleware function; empty for an anonymous one. */
  readonly name: string
  /** The value that the middleware, or its call of `next()`, threw. Set from `error` on. */
  error?: unknown
}

const middlewareChannel = tracingChannel<object, MiddlewareTrace>('fw.middleware')

/**
 * Reports whether a channel for middleware has subscribers. Without subscribers, this check is the only additional
 * cost.
 */
export function isMiddlewareTraced(): boolean {
  return middlewareChannel.hasSubscribers
}

/**
 * Calls a middleware function and publishes its events: `start`, `end` when it returns, and, if it returns a promise,
 * `asyncStart` and `asyncEnd` when that settles. Stores bound to `start` are set in the middleware and in all code that
 * it calls.
 */
export function traceMiddleware(middleware: Middleware, context: Context, next: Next): unknown {
  const message: MiddlewareTrace = { context, name: middleware.name }
  if (middlewareChannel.start.hasSubscribers) {
    return middlewareChannel.start.runStores(message, () => run(middleware, next, message))
  }
  return run(middleware, next, message)
}

function run(middleware: Middleware, next: Next, message: MiddlewareTrace): unknown {
  let result: unknown
  try {
    result = middleware(message.context, next)
  } catch (error) {
    publishError(message, error)
    throw error
  } finally {
    middlewareChannel.end.publish(message)
  }
  if (!isThenable(result)) return result
  // Calling `then` on any other thenable can start its work, so call it only once.
  const promise = result instanceof Promise ? result : Promise.resolve(result)
  promise.then(
    () => publishAsyncEnd(message),
    (error: unknown) => {
      publishError(message, error)
      publishAsyncEnd(message)
    },
  )
  return promise
}

function publishError(message: MiddlewareTrace, error: unknown): void {
  message.error = error
  middlewareChannel.error.publish(message)
}

function publishAsyncEnd(message: MiddlewareTrace): void {
  middlewareChannel.asyncStart.publish(message)
  middlewareChannel.asyncEnd.publish(message)
}
