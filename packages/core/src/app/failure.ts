import type { ErrorHandler } from '@fw/types'
import { AbortedError } from '../engine/errors.ts'
import { isThenable } from './compose.ts'
import type { ContextHost } from '../context/context-host.ts'
import { asContext, type RequestContext } from '../context/context.ts'
import { prepareProblem, problemDocument, problemOf } from '../response/problem.ts'
import { headerEntries } from '../response/response-init.ts'
import { sendResponse } from './send-response.ts'

/**
 * Makes a response of something thrown: by the nearest error handler that gives one, else by default. Once the head has
 * been sent, the exchange is ended so that the client can tell. Never rejects.
 *
 * What no error handler took is reported once, unless it is the client's fault (4xx) or the client is gone.
 */
export async function handleFailure(
  thrown: unknown,
  context: RequestContext,
  handlers: readonly ErrorHandler[],
  host: ContextHost<RequestContext>,
): Promise<void> {
  try {
    await respondToFailure(thrown, context, handlers, host)
  } catch (failure) {
    // What was thrown throws itself when it is looked at, as a revoked proxy does.
    sendBareError(failure, context, host)
  }
}

async function respondToFailure(
  thrown: unknown,
  context: RequestContext,
  handlers: readonly ErrorHandler[],
  host: ContextHost<RequestContext>,
): Promise<void> {
  let error = thrown
  for (const handler of handlers) {
    if (context.headSent || isAborted(error, context)) break
    try {
      const hasResponse = await isRespondedBy(handler, error, context)
      // Meanwhile the time of the route ran out, which is a failure with a response of its own.
      if (context.isTimedOut) return
      if (hasResponse) {
        await sendResponse(context)
        return
      }
    } catch (failure) {
      if (context.isTimedOut) return
      error = failure
    }
  }
  await respondByDefault(error, thrown, context, host)
}

/** Lets an error handler answer, with the status and fields of the error prepared. */
async function isRespondedBy(handler: ErrorHandler, error: unknown, context: RequestContext): Promise<boolean> {
  const { prepared } = context
  const { status, headers } = problemOf(error)
  prepared.abandonBody()
  prepared.status = status
  for (const [name, value] of headerEntries(headers ?? {})) prepared.headers.set(name, value)
  const result = handler(error, asContext(context))
  const value = isThenable(result) ? await result : result
  if (value !== undefined) context.setResult(value)
  return prepared.hasBody || context.headSent
}

async function respondByDefault(
  error: unknown,
  thrown: unknown,
  context: RequestContext,
  host: ContextHost<RequestContext>,
): Promise<void> {
  const { exchange } = context
  if (isAborted(error, context)) {
    context.prepared.discardBody()
    exchange.abort(error)
    return
  }
  const problem = problemOf(error)
  if (problem.status >= 500) {
    host.report(
      failed(context),
      error === thrown ? error : new SuppressedError(error, thrown, 'An error handler failed'),
    )
  }
  if (!context.headSent) {
    try {
      prepareProblem(context.prepared, context.headers.get('accept'), problem)
      await sendResponse(context)
    } catch (failure) {
      // The error, or what was prepared before it, brought along what cannot be sent.
      sendBareError(failure, context, host)
    }
    return
  }
  context.prepared.discardBody()
  if (exchange.isOpen) {
    exchange.abort(error instanceof Error ? error : new Error('The handler threw', { cause: error }))
  }
}

/** What is reported of a request. */
function failed({ method, path }: RequestContext): string {
  return `${method} ${path} failed`
}

/** Reports what went wrong with answering a failure, and answers with nothing of what was prepared. */
function sendBareError(failure: unknown, context: RequestContext, host: ContextHost<RequestContext>): void {
  host.report(failed(context), failure)
  const { exchange, headers } = context
  context.prepared.discardBody()
  if (context.headSent) {
    exchange.abort()
    return
  }
  const { contentType, body } = problemDocument({ status: 500 }, headers.get('accept'))
  exchange.respond(500, ['content-type', contentType, 'vary', 'accept'], body)
}

/**
 * Reports whether the client cannot receive a response: its body broke off, or a call was stopped by `ctx.signal`. The name
 * alone does not decide while the client is still connected.
 */
function isAborted(error: unknown, context: RequestContext): error is Error {
  return (
    error instanceof AbortedError || (error instanceof Error && error.name === 'AbortError' && context.isClientGone)
  )
}
