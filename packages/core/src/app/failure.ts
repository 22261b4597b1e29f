import { withCode } from '@fw/options'
import type { ErrorHandler } from '@fw/types'
import { AbortedError } from '../engine/errors.ts'
import { isThenable } from './compose.ts'
import { asContext } from '../context/as-context.ts'
import type { RequestContext } from '../context/context.ts'
import { prepareProblem, problemDocument, problemOf } from '../response/problem.ts'
import { headerEntries } from '../response/response-init.ts'
import { sendResponse } from './send-response.ts'

/**
 * Responds to a thrown value. The nearest error handler that prepares a response determines it; the default is a
 * problem document. After the head was sent, aborts the exchange, so that the client detects the failure. Never
 * rejects.
 *
 * Reports an unhandled error once, unless its status is 4xx or the client has disconnected.
 */
export async function handleFailure(
  thrown: unknown,
  context: RequestContext,
  handlers: readonly ErrorHandler[],
): Promise<void> {
  try {
    await respondToFailure(thrown, context, handlers)
  } catch (failure) {
    // Accessing the thrown value can throw, for example if it is a revoked proxy.
    sendBareError(failure, context)
  }
}

async function respondToFailure(
  thrown: unknown,
  context: RequestContext,
  handlers: readonly ErrorHandler[],
): Promise<void> {
  let error = thrown
  for (const handler of handlers) {
    if (context.headSent || isAborted(error, context)) break
    try {
      const hasResponse = await runErrorHandler(handler, error, context)
      // The route's timeout has expired in the meantime and has already produced the response.
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
  await respondByDefault(error, thrown, context)
}

/** Prepares the status and fields of the error, runs an error handler, and reports whether it responded. */
async function runErrorHandler(handler: ErrorHandler, error: unknown, context: RequestContext): Promise<boolean> {
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

async function respondByDefault(error: unknown, thrown: unknown, context: RequestContext): Promise<void> {
  const { exchange } = context
  if (isAborted(error, context)) {
    context.prepared.discardBody()
    exchange.abort(error)
    return
  }
  const problem = problemOf(error)
  if (problem.status >= 500) {
    context.reportFailure(
      error === thrown
        ? error
        : withCode('FW_ERROR_HANDLER_FAILED', new SuppressedError(error, thrown, 'An error handler failed')),
    )
  }
  if (!context.headSent) {
    try {
      prepareProblem(context.prepared, context.headers.get('accept'), problem)
      await sendResponse(context)
    } catch (failure) {
      // The error or the prepared response has fields or members that cannot be sent.
      sendBareError(failure, context)
    }
    return
  }
  context.prepared.discardBody()
  if (exchange.isOpen) {
    exchange.abort(
      error instanceof Error ? error : withCode('FW_THROWN_VALUE', new Error('The handler threw', { cause: error })),
    )
  }
}

/** Reports an error that occurred while responding to a failure. Responds with a plain 500 and no prepared fields. */
function sendBareError(failure: unknown, context: RequestContext): void {
  context.reportFailure(failure)
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
 * Reports whether the client cannot receive a response: its request body ended early, or `ctx.signal` aborted a call.
 * An `AbortError` alone is not sufficient, because other signals can cause it too.
 */
function isAborted(error: unknown, context: RequestContext): error is Error {
  return error instanceof AbortedError || (error instanceof Error && error.name === 'AbortError' && context.isAborted)
}
