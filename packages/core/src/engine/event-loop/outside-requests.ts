import { AsyncResource } from 'node:async_hooks'

/** Captures the asynchronous context of the program. `AsyncLocalStorage.snapshot()` takes five times as long to run. */
const program = new AsyncResource('fw')

/**
 * Calls `run` outside the asynchronous context of the current request (`AsyncLocalStorage`, tracing spans). Use it for
 * work that concerns no request, other requests or several. A context that `run` enters ends with the call.
 */
export function runOutsideRequests<Args extends unknown[]>(run: (...args: Args) => void, ...args: Args): void {
  program.runInAsyncScope(run, undefined, ...args)
}
