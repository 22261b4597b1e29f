import { extendContext } from '@fw/core'
import { sse } from './stream/sse.ts'
import type { SseStream } from './stream/sse-stream.ts'
import type { SseEvents } from './stream/typed-events.ts'
import type { SseOptions } from './stream/stream-options.ts'

declare module '@fw/types' {
  interface ContextExtensions {
    /** Opens a stream of server-sent events. Calls `sse` from `@fw/sse`. */
    sse<Events extends object = SseEvents>(options?: SseOptions): Promise<SseStream<Events>>
  }
}

extendContext('sse', '@fw/sse', function (options?: SseOptions) {
  return sse(this, options)
})
