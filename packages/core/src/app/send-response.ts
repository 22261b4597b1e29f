import type { BodySource, Exchange } from '@fw/types'
import { AbortedError } from '../engine/errors.ts'
import { discardSource, readSource, type SourceReader } from '../response/body-source.ts'
import { readAhead } from '../response/read-ahead.ts'
import type { RequestContext } from '../context/context.ts'
import { allowsBody } from '../engine/exchange/response-head.ts'

/**
 * Sends what was prepared, unless the handler has sent a response itself; that one is ended if it was left open.
 *
 * @returns A promise for a streamed body, rejected if its source fails; `undefined` for anything else
 * @throws {TypeError} if the response cannot be sent
 */
export function sendResponse(context: RequestContext): Promise<void> | undefined {
  const { exchange, prepared } = context
  if (context.headSent) {
    prepared.discardBody()
    exchange.end()
    return undefined
  }
  const { status, body } = prepared
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) {
    exchange.respond(status, prepared.fields, body)
    return undefined
  }
  prepared.handOverBody()
  return sendSource(context, body)
}

/** Sends a streamed body. Reads the source to its end, or releases it, however the exchange ends. */
async function sendSource(context: RequestContext, source: BodySource): Promise<void> {
  const { exchange, prepared } = context
  const { status } = prepared
  // A HEAD response has the length of the GET response.
  const mayBeWhole = prepared.isOfResponse && allowsBody('GET', status) && !prepared.headers.has('content-length')
  if (context.isClientGone || !(mayBeWhole || allowsBody(exchange.method, status))) {
    discardSource(source)
    exchange.start(status, prepared.fields)
    exchange.end()
    return
  }
  const reader = readSource(source)
  context.onFinish(({ aborted }) => {
    if (aborted) reader.cancel(new AbortedError('The client went away'))
  })
  try {
    if (mayBeWhole) await sendFromBeginning(context, reader)
    else {
      exchange.start(status, prepared.fields)
      await pump(reader, exchange)
    }
  } catch (error) {
    reader.cancel(new Error('The response cannot be sent', { cause: error }))
    // A source that was told to stop may fail in doing so, and no client is left to receive that.
    if (!context.isClientGone && (exchange.isOpen || !context.headSent)) throw error
  }
}

/** Sends a body at once if all of it can be read at once. */
async function sendFromBeginning(context: RequestContext, reader: SourceReader): Promise<void> {
  const { exchange, prepared } = context
  const { pieces, isWhole, next } = await readAhead(reader)
  if (context.isTimedOut || context.headSent || prepared.hasBody) {
    reader.cancel(new Error('Another response took its place'))
    // After the time of the route, another context responds. Otherwise the handler has prepared or begun another response.
    if (!context.isTimedOut) await sendResponse(context)
    return
  }
  if (isWhole) {
    const [first = null] = pieces
    exchange.respond(prepared.status, prepared.fields, pieces.length > 1 ? Buffer.concat(pieces) : first)
    return
  }
  exchange.start(prepared.status, prepared.fields)
  if (!exchange.isOpen || !allowsBody(exchange.method, exchange.status)) {
    reader.cancel(new Error('The response has no body'))
    exchange.end()
    return
  }
  for (const piece of pieces) if (!exchange.write(piece)) await exchange.drained()
  await pump(reader, exchange, next)
}

/**
 * Writes as fast as the transport takes it.
 *
 * @param begun A read that is in progress
 */
async function pump(reader: SourceReader, exchange: Exchange, begun?: ReturnType<SourceReader['read']>): Promise<void> {
  let reading = begun
  while (exchange.isOpen) {
    reading ??= reader.read()
    const chunk = reading instanceof Promise ? await reading : reading
    reading = undefined
    if (chunk === undefined) {
      exchange.end()
      return
    }
    if (!exchange.write(chunk)) await exchange.drained()
  }
  reader.cancel(new Error('The response is over'))
}
