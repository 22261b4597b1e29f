import { extendContext } from '@fw/core'
import { sse } from './sse.ts'
import type { SseStream } from './event-stream.ts'
import type { SseOptions } from './options.ts'

declare module '@fw/types' {
  interface ContextExtensions {
    /** Answers with a stream of server-sent events; the method form of `sse` from `@fw/sse`. */
    sse(options?: SseOptions): Promise<SseStream>
  }
}

extendContext('sse', '@fw/sse', function (options?: SseOptions) {
  return sse(this, options)
})
