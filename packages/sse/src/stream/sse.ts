import type { Context } from '@fw/types'
import { openStream } from './open-stream.ts'
import type { SseStream } from './sse-stream.ts'
import type { SseEvents } from './typed-events.ts'
import { STREAM_KINDS, streamSettings, type SseOptions } from './stream-options.ts'

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
  return openStream<Events>(ctx, streamSettings('sse', options, STREAM_KINDS))
}
