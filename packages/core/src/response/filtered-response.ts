import type { Context, ResponseBody, ResponseFilter } from '@fw/types'
import { allowsBody } from '../engine/exchange/response-head.ts'
import { Outgoing, STREAM } from './outgoing.ts'
import type { PreparedResponse } from './prepared-response.ts'

/** The context members that filtering a response uses. */
export interface FilteredContext extends Context {
  readonly prepared: PreparedResponse
  /** The filters that have not run yet, in the order in which they were added. */
  filters: readonly ResponseFilter[] | undefined
  /** Whether the route's timeout has expired. If so, another context responds. */
  readonly isTimedOut: boolean
  /** Reports an error for which the client receives no response. */
  reportFailure(error: unknown): void
}

/**
 * Runs the filters, then sends the head of a response whose body follows.
 *
 * @returns The body to write
 * @throws an error from a filter or from `Exchange.start`
 */
export function startBody(context: FilteredContext): ResponseBody {
  const { exchange, prepared, filters } = context
  if (filters === undefined) {
    exchange.start(prepared.status, prepared.fields)
    return exchange
  }
  context.filters = undefined
  const outgoing = new Outgoing(prepared, exchange.method, STREAM)
  // A filter can delay the head only if the body is whole.
  void outgoing.run(filters, context)
  return startEncoded(context, outgoing)
}

/**
 * Runs the filters, then sends a complete response.
 *
 * @returns A promise if a filter delays the head
 * @throws an error from a filter or from `Exchange.respond`
 */
export function respondWhole(context: FilteredContext, body: string | Uint8Array | null): Promise<void> | undefined {
  const { exchange, prepared, filters } = context
  if (filters === undefined) {
    exchange.respond(prepared.status, prepared.fields, body)
    return undefined
  }
  context.filters = undefined
  const outgoing = new Outgoing(prepared, exchange.method, body)
  const running = outgoing.run(filters, context)
  if (running !== undefined) return running.then(() => respondFiltered(context, outgoing))
  respondFiltered(context, outgoing)
  return undefined
}

function respondFiltered(context: FilteredContext, outgoing: Outgoing): void {
  // The route's timeout expired while a filter delayed the head.
  if (context.isTimedOut) return
  const { exchange, prepared } = context
  const { body } = outgoing
  if (!outgoing.isEncoded) {
    exchange.respond(prepared.status, prepared.fields, body)
    return
  }
  const target = startEncoded(context, outgoing)
  if (body !== null) target.write(typeof body === 'string' ? Buffer.from(body) : body)
  target.end()
}

/** Sends the head, and returns the body to write: the input of the encoders, or the exchange if there are none. */
function startEncoded(context: FilteredContext, outgoing: Outgoing): ResponseBody {
  const { exchange, prepared } = context
  // A response to HEAD has the fields of an encoded body, but no body to encode.
  const body = allowsBody(exchange.method, prepared.status)
    ? outgoing.openEncoders(exchange, (error) => context.reportFailure(error))
    : undefined
  try {
    exchange.start(prepared.status, prepared.fields)
  } catch (error) {
    body?.cancel()
    throw error
  }
  if (body === undefined) return exchange
  context.onFinish(() => body.cancel())
  return body
}
