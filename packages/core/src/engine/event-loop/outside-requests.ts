import { AsyncResource } from 'node:async_hooks'

/** Stands for the program itself. Of `AsyncLocalStorage.snapshot()` the same takes five times as long. */
const program = new AsyncResource('fw')

/**
 * Runs what belongs to no request, or to another one than the one at work. What one request schedules for many must not
 * carry its asynchronous context (`AsyncLocalStorage`, the spans of a tracer) to the others; and whatever context `run`
 * enters ends with it.
 */
export function runOutsideRequests<Args extends unknown[]>(run: (...args: Args) => void, ...args: Args): void {
  program.runInAsyncScope(run, undefined, ...args)
}
