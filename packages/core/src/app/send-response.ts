import type { BodySource, Exchange } from '@fw/types'
import { AbortedError } from '../engine/errors.ts'
import { readSource, discardSource, type SourceReader } from '../response/body-source.ts'
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
  return sendStream(context, status, body)
}

async function sendStream(context: RequestContext, status: number, source: BodySource): Promise<void> {
  const { exchange } = context
  exchange.start(status, context.prepared.fields)
  if (!exchange.isOpen || !allowsBody(exchange.method, status)) {
    discardSource(source)
    exchange.end()
    return
  }
  const reader = readSource(source)
  context.onFinish(({ aborted }) => {
    if (aborted) reader.cancel(new AbortedError('The client went away'))
  })
  try {
    await pump(reader, exchange)
  } catch (error) {
    // A source that was told to stop may fail in doing so; nobody is left to care.
    if (!exchange.isOpen) return
    reader.cancel(new Error('The response cannot be sent', { cause: error }))
    throw error
  }
}

/** Writes as fast as the transport takes it. */
async function pump(reader: SourceReader, exchange: Exchange): Promise<void> {
  while (exchange.isOpen) {
    const reading = reader.read()
    const chunk = reading instanceof Promise ? await reading : reading
    if (chunk === undefined) {
      exchange.end()
      return
    }
    if (!exchange.write(chunk)) await exchange.drained()
  }
}
