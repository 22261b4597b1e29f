export { sse } from './sse.ts'
export { encodeEvent, type ServerSentEvent } from './event.ts'
export type { SseStream } from './event-stream.ts'
export type { SlowConsumer, SseOptions } from './options.ts'
