import { withCode } from '@fw/options'
import type { Context } from '@fw/types'
import { EventStream } from './event-stream.ts'
import type { StreamSettings } from './stream-options.ts'

/** Opens a stream like `sse`, but synchronously and with options that have been checked. */
export function openStream<Events extends object>(ctx: Context<object>, settings: StreamSettings): EventStream<Events> {
  if (ctx.headSent) {
    throw withCode(
      'FW_RESPONSE_SENT',
      new Error('Cannot open an event stream: the response head was already sent. Respond once per request.'),
    )
  }
  prepareHead(ctx)
  const id = lastEventId(ctx, settings.lastEventIdParam)
  const stream = new EventStream<Events>(ctx.startResponse(), settings, id, ctx)
  if (ctx.method === 'HEAD') stream.close()
  if (settings.retryMs !== undefined) void stream.retry(settings.retryMs)
  return stream
}

function prepareHead({ responseHeaders, protocol }: Context<object>): void {
  responseHeaders.set('content-type', 'text/event-stream')
  if (!responseHeaders.has('cache-control')) responseHeaders.set('cache-control', 'no-cache')
  // Without this field, nginx and other proxies buffer events.
  if (!responseHeaders.has('x-accel-buffering')) responseHeaders.set('x-accel-buffering', 'no')
  responseHeaders.delete('content-length')
  // RFC 9112 §9.6: the connection ends with the stream.
  if (protocol === 'HTTP/1.1') responseHeaders.set('connection', 'close')
}

function lastEventId(ctx: Context<object>, param: string | undefined): string | null {
  const bytes = ctx.headers.get('last-event-id')
  // EventSource sends the ID as UTF-8.
  if (bytes !== null && bytes !== '') return Buffer.from(bytes, 'latin1').toString()
  const value = param === undefined ? null : ctx.query.get(param)
  return value === '' ? null : value
}
