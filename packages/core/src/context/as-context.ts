import type { Context } from '@fw/types'
import type { RequestContext } from './context.ts'

/** Returns the context with the `Context` type that handlers receive, which includes the declared extensions. */
export function asContext(context: RequestContext): Context {
  return context
}
