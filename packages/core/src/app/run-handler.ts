import type { Handler } from '@fw/types'
import { asContext, type RequestContext } from '../context/context.ts'
import type { Validation } from './validation.ts'
import { isThenable } from './compose.ts'

/** Runs a handler and takes its result as the response. */
export function runHandler(handler: Handler, context: RequestContext): Promise<void> | undefined {
  const result = handler(asContext(context))
  if (isThenable(result)) return takeLater(context, result)
  context.setResult(result)
  return undefined
}

/** Checks the request before the handler runs. */
export function runValidated(
  validation: Validation,
  handler: Handler,
  context: RequestContext,
): Promise<void> | undefined {
  const result = validation(context)
  if (isThenable(result)) {
    return result.then((valid) => {
      // Nobody would have the response.
      if (context.isTimedOut) return undefined
      context.valid = valid
      return runHandler(handler, context)
    })
  }
  context.valid = result
  return runHandler(handler, context)
}

// No asynchronous function: its frame would be kept as long as the handler runs, for some streams for hours.
function takeLater(context: RequestContext, result: PromiseLike<unknown>): Promise<void> {
  return Promise.resolve(result).then((value) => context.setResult(value))
}
