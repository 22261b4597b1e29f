import { extendContext } from '@fw/core'
import { sse } from './sse.ts'
import type { SseStream } from './event-stream.ts'
import type { SseEvents } from './events.ts'
import type { SseOptions } from './options.ts'

declare module '@fw/types' {
  interface ContextExtensions {
    /** Answers with a stream of server-sent events; the method form of `sse` from `@fw/sse`. */
    sse<Events extends object = SseEvents>(options?: SseOptions): Promise<SseStream<Events>>
  }
}

extendContext('sse', '@fw/sse', function (options?: SseOptions) {
  return sse(this, options)
})
