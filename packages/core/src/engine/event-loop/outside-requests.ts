import { AsyncResource } from 'node:async_hooks'

/**
 * The program's asynchronous context. A function from `AsyncLocalStorage.snapshot()` would take five times as long to
 * call.
 */
const program = new AsyncResource('fw')

/**
 * Calls `run` outside the asynchronous context of the current request (`AsyncLocalStorage`, tracing spans). Use it for
 * work that belongs to no request, to other requests or to several requests. A context that `run` enters ends when the
 * call returns.
 */
export function runOutsideRequests<Args extends unknown[]>(run: (...args: Args) => void, ...args: Args): void {
  program.runInAsyncScope(run, undefined, ...args)
}
