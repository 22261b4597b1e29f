import { withCode } from '@fw/options'
import type { BodySource, ResponseBody } from '@fw/types'
import { exchangeAborted } from '../engine/errors.ts'
import { discardSource, readSource, type SourceReader } from '../response/body-source.ts'
import { respondWhole, startBody } from '../response/filtered-response.ts'
import { readAhead } from '../response/read-ahead.ts'
import type { RequestContext } from '../context/context.ts'
import { allowsBody } from '../engine/exchange/response-head.ts'

/**
 * Sends the prepared response. If the handler has started a response itself, ends that response instead.
 *
 * @returns A promise if the body is streamed or a filter is asynchronous; otherwise `undefined`. The promise rejects if
 * the body's source fails
 * @throws {TypeError} if the response cannot be sent
 */
export function sendResponse(context: RequestContext): Promise<void> | undefined {
  const { prepared } = context
  if (context.headSent) {
    prepared.discardBody()
    const body = context.started ?? context.exchange
    body.end()
    return undefined
  }
  const { body } = prepared
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) return respondWhole(context, body)
  prepared.handOverBody()
  return sendSource(context, body)
}

/** Sends a streamed body. Reads the source to its end, or releases it, however the exchange ends. */
async function sendSource(context: RequestContext, source: BodySource): Promise<void> {
  const { exchange, prepared } = context
  const { status } = prepared
  // A HEAD response has the length of the GET response.
  const mayBeWhole = prepared.isFromResponse && allowsBody('GET', status) && !prepared.headers.has('content-length')
  if (context.isAborted || !(mayBeWhole || allowsBody(exchange.method, status))) {
    discardSource(source)
    // A filter can delay the head of a response without a body. One to HEAD has the fields of a streamed body.
    if (allowsBody('GET', status)) startBody(context).end()
    else await respondWhole(context, null)
    return
  }
  const reader = readSource(source)
  context.onFinish(({ aborted }) => {
    if (aborted) reader.cancel(exchangeAborted())
  })
  try {
    if (mayBeWhole) await sendFromBeginning(context, reader)
    else await pump(reader, startBody(context))
  } catch (error) {
    reader.cancel(withCode('FW_BODY_NOT_SENT', new Error('The response cannot be sent', { cause: error })))
    // Ignore the failure of a source that was canceled because the exchange was aborted.
    if (!context.isAborted && (exchange.isOpen || !context.headSent)) throw error
  }
}

/** Sends a body with its length if `readAhead` reads all of it; otherwise streams it. */
async function sendFromBeginning(context: RequestContext, reader: SourceReader): Promise<void> {
  const { exchange, prepared } = context
  const { pieces, isWhole, next } = await readAhead(reader)
  if (context.isTimedOut || context.headSent || prepared.hasBody) {
    reader.cancel(withCode('FW_BODY_NOT_SENT', new Error('Another response replaced this one')))
    // After the timeout, another context responds. Otherwise the handler has prepared or started another response.
    if (!context.isTimedOut) await sendResponse(context)
    return
  }
  if (isWhole) {
    const [first = null] = pieces
    await respondWhole(context, pieces.length > 1 ? Buffer.concat(pieces) : first)
    return
  }
  const body = startBody(context)
  if (!exchange.isOpen || !allowsBody(exchange.method, exchange.status)) {
    reader.cancel(withCode('FW_BODY_NOT_SENT', new Error('The response has no body')))
    body.end()
    return
  }
  for (const piece of pieces) if (!body.write(piece)) await body.drained()
  await pump(reader, body, next)
}

/**
 * Writes the rest of a body with backpressure, then ends the response.
 *
 * @param begun A read that is already in progress
 */
async function pump(reader: SourceReader, body: ResponseBody, begun?: ReturnType<SourceReader['read']>): Promise<void> {
  let reading = begun
  while (body.isOpen) {
    reading ??= reader.read()
    const chunk = reading instanceof Promise ? await reading : reading
    reading = undefined
    if (chunk === undefined) {
      body.end()
      return
    }
    if (!body.write(chunk)) await body.drained()
  }
  reader.cancel(withCode('FW_BODY_NOT_SENT', new Error('The response has ended')))
}
