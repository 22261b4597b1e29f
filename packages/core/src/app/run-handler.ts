import type { Handler } from '@fw/types'
import { asContext } from '../context/as-context.ts'
import type { RequestContext } from '../context/context.ts'
import type { Validation } from './validation.ts'
import { isThenable } from './compose.ts'
import { BaseExchange } from '../engine/exchange/base-exchange.ts'
import { isJsonValue } from '../response/handler-result.ts'

/** Runs a handler and prepares its result as the response. */
export function runHandler(handler: Handler, context: RequestContext): Promise<void> | undefined {
  const result = handler(asContext(context))
  if (isThenable(result)) return takeLater(context, result)
  context.setResult(result)
  return undefined
}

/** Validates the request, then runs the handler. */
export function runValidated(
  validation: Validation,
  handler: Handler,
  context: RequestContext,
): Promise<void> | undefined {
  const result = validation(context)
  if (isThenable(result)) {
    return result.then((valid) => {
      // The timeout has responded, so the handler's response would be discarded.
      if (context.isTimedOut) return undefined
      context.valid = valid
      return runHandler(handler, context)
    })
  }
  context.valid = result
  return runHandler(handler, context)
}

// Not an async function: its frame would stay in memory while the handler is running, which can be hours for a stream.
function takeLater(context: RequestContext, result: PromiseLike<unknown>): Promise<void> {
  return Promise.resolve(result).then((value) => {
    if (!isRefused(context, value)) context.setResult(value)
  })
}

/**
 * Refuses a value that would be converted to JSON only to become a 503. Other handlers filled the connection's budget
 * while this one was running.
 */
function isRefused(context: RequestContext, value: unknown): boolean {
  const { exchange, prepared } = context
  if (!isJsonValue(value) || context.headSent || context.isTimedOut) return false
  return exchange instanceof BaseExchange && exchange.refuses(prepared.status, 1)
}
