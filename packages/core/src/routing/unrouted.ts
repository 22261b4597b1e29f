import type { Handler } from '@fw/types'
import { asContext, type RequestContext } from '../context/context.ts'
import { isThenable } from './compose.ts'
import type { Validation } from '../context/validation.ts'
import { problemDocument, type Problem } from '../answer/problem.ts'

/** Why no route takes a request. */
export type Miss =
  | { readonly kind: 'not-found' }
  /** The path has routes for other methods. */
  | { readonly kind: 'other-methods'; readonly allow: readonly string[] }
  /** OPTIONS, of a path or the whole server, answered from the routes. */
  | { readonly kind: 'options'; readonly allow: readonly string[] }
  /** There is a route for the path with, or without, a slash at its end. */
  | { readonly kind: 'other-end'; readonly location: string }
  | { readonly kind: 'bad-target'; readonly detail: string }
  /** CONNECT to an authority: this is no proxy. */
  | { readonly kind: 'tunnel' }

/** Answers a request that no route takes. */
export function answerMiss(
  context: RequestContext,
  miss: Miss,
  notFound: Handler | undefined,
): Promise<void> | undefined {
  switch (miss.kind) {
    case 'not-found':
      return answerNotFound(context, notFound)
    case 'other-methods':
      prepareProblem(context, { status: 405, headers: { allow: miss.allow.join(', ') } })
      break
    case 'options':
      context.empty(204)
      context.responseHeaders.set('allow', miss.allow.join(', '))
      break
    case 'other-end':
      // 308 keeps the method and the body (RFC 9110 §15.4.9).
      context.redirect(miss.location, 308)
      break
    case 'bad-target':
      prepareProblem(context, { status: 400, detail: miss.detail })
      break
    case 'tunnel':
      prepareProblem(context, { status: 501 })
      break
  }
  return undefined
}

/** Answers with 404: by the handler given, or by default. */
export function answerNotFound(context: RequestContext, handler: Handler | undefined): Promise<void> | undefined {
  context.prepared.abandonBody()
  if (handler === undefined) {
    prepareProblem(context, { status: 404 })
    return undefined
  }
  context.status = 404
  return runHandler(handler, context)
}

/** Runs a handler and takes its result as the answer. */
export function runHandler(handler: Handler, context: RequestContext): Promise<void> | undefined {
  const result = handler(asContext(context))
  if (isThenable(result)) return takeLater(context, result)
  context.takeResult(result)
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
      // Nobody would have the answer.
      if (context.isLate) return undefined
      context.valid = valid
      return runHandler(handler, context)
    })
  }
  context.valid = result
  return runHandler(handler, context)
}

/** Prepares an error answer in place of what was prepared. Fields that do not describe the old body stay. */
export function prepareProblem(context: RequestContext, problem: Problem): void {
  const { prepared } = context
  prepared.abandonBody()
  const { contentType, body } = problemDocument(problem, context.headers.get('accept'))
  prepared.set(body, contentType, { status: problem.status, ...(problem.headers ? { headers: problem.headers } : {}) })
  const vary = prepared.headers.get('vary')
  if (vary === null || !/(?:^|,)\s*(?:accept|\*)\s*(?:,|$)/i.test(vary)) prepared.headers.append('vary', 'accept')
}

// No asynchronous function: its frame would be kept as long as the handler runs, for some streams for hours.
function takeLater(context: RequestContext, result: PromiseLike<unknown>): Promise<void> {
  return Promise.resolve(result).then((value) => {
    // When the time of the route has run out meanwhile, another answer is being prepared.
    if (!context.isLate) context.takeResult(value)
  })
}
