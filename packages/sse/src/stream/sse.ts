import type { Context } from '@fw/types'
import { SseStream } from './event-stream.ts'
import type { SseEvents } from './typed-events.ts'
import { checkOptions, type SseOptions } from './stream-options.ts'

/**
 * Responses with a stream of server-sent events: sends the head and hands over the stream.
 *
 * Fields set before stay, except `content-length`. The stream ends when the handler returns; a handler that throws
 * breaks it off, so that the client can tell. When the server closes, a `retry` block is written and the stream ends.
 * A response to HEAD is the head alone: its stream is closed from the start.
 *
 * Given a type of its events, such as `sse<{ tick: number }>(ctx)`, the stream takes no others.
 *
 * @throws {TypeError | RangeError} if an option is unknown or out of range
 * @throws {Error} if the head was sent already
 *
 * @example
 * router.get('/ticks', async (ctx) => {
 *   const stream = await sse(ctx)
 *   for (let n = 1; stream.isOpen(); n++) {
 *     await stream.event('tick', String(n))
 *     await setTimeout(1000)
 *   }
 * })
 */
export async function sse<Events extends object = SseEvents>(
  ctx: Context<object>,
  options?: SseOptions,
): Promise<SseStream<Events>> {
  return openStream<Events>(ctx, options)
}

/** As `sse`, at once. */
export function openStream<Events extends object>(ctx: Context<object>, options?: SseOptions): SseStream<Events> {
  const settings = checkOptions(options)
  if (ctx.headSent) throw new Error('Cannot open an event stream: the head of the response was sent already')
  prepareHead(ctx)
  const id = lastEventId(ctx, settings.lastEventIdParam)
  const stream = new SseStream<Events>(ctx.startResponse(), settings, id, ctx)
  if (ctx.method === 'HEAD') stream.close()
  if (settings.retryMs !== undefined) void stream.retry(settings.retryMs)
  return stream
}

function prepareHead({ responseHeaders, protocol }: Context<object>): void {
  responseHeaders.set('content-type', 'text/event-stream')
  if (!responseHeaders.has('cache-control')) responseHeaders.set('cache-control', 'no-cache')
  // nginx and others would hold events back otherwise.
  if (!responseHeaders.has('x-accel-buffering')) responseHeaders.set('x-accel-buffering', 'no')
  responseHeaders.delete('content-length')
  // The connection ends with the stream: RFC 9112 §9.6.
  if (protocol === 'HTTP/1.1') responseHeaders.set('connection', 'close')
}

function lastEventId(ctx: Context<object>, param: string | undefined): string | null {
  const bytes = ctx.headers.get('last-event-id')
  // EventSource sends its id as UTF-8.
  if (bytes !== null && bytes !== '') return Buffer.from(bytes, 'latin1').toString()
  const value = param === undefined ? null : ctx.query.get(param)
  return value === '' ? null : value
}
