import type { Context } from '@fw/types'
import type { RequestContext } from './context.ts'

/** Returns the context as the `Context` type of handlers, which includes the declared extensions. */
export function asContext(context: RequestContext): Context {
  return context
}
