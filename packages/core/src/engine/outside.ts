import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Runs what belongs to no request, or to another one than the one at work. What one request schedules for many must not
 * carry its asynchronous context (`AsyncLocalStorage`, the spans of a tracer) to the others.
 */
export const outsideRequests: ReturnType<typeof AsyncLocalStorage.snapshot> = AsyncLocalStorage.snapshot()
