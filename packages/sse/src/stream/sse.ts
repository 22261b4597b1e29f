import type { Context } from '@fw/types'
import { openStream } from './open-stream.ts'
import type { SseStream } from './sse-stream.ts'
import type { SseEvents } from './typed-events.ts'
import { STREAM_KINDS, streamSettings, type SseOptions } from './stream-options.ts'

/**
 * Sends the response head and returns a stream of server-sent events.
 *
 * Keeps header fields that are already set, except `content-length`. Returning from the handler ends the stream. Throwing
 * aborts it, so that the client sees an error instead of a clean end. When the server closes, the stream sends a `retry` block
 * and ends. For HEAD, the returned stream is already closed.
 *
 * A type parameter, such as `sse<{ tick: number }>(ctx)`, limits the events that compile.
 *
 * @throws {TypeError | RangeError} if an option is unknown or out of range
 * @throws {Error} if the head was already sent
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
