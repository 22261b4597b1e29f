import type { ServerSentEvent } from './event.ts'
import type { StreamListener } from './stream-listener.ts'

/** Where events come from: strings are data. */
export type EventSourceOf = AsyncIterable<string | ServerSentEvent> | Iterable<string | ServerSentEvent>

/** As much of a stream as a source needs. */
export interface SourceTarget {
  isOpen(): boolean
  data(text: string): Promise<void>
  send(block: ServerSentEvent): Promise<void>
  listen(listener: StreamListener): void
  unlisten(listener: StreamListener): void
}

/** Sends what a source yields until it ends or the stream is over, whichever is first. See `SseStream.from`. */
export async function pumpSource(stream: SourceTarget, source: EventSourceOf): Promise<void> {
  if (!stream.isOpen()) return
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  const over = Promise.withResolvers<void>()
  const listener: StreamListener = { onTurn() {}, onEnding() {}, onEnd: () => over.resolve() }
  stream.listen(listener)
  let isExhausted = false
  const pump = async (): Promise<void> => {
    while (stream.isOpen()) {
      const { done, value } = await iterator.next()
      if (done === true) {
        isExhausted = true
        return
      }
      // What a source gives after the end, if only the reason for it, goes nowhere.
      if (stream.isOpen()) await (typeof value === 'string' ? stream.data(value) : stream.send(value))
    }
  }
  try {
    await Promise.race([pump(), over.promise])
  } finally {
    stream.unlisten(listener)
    if (!isExhausted) stop(iterator)
  }
}

/** Tells a source that nobody wants more; what it makes of that is no concern of the client that left. */
function stop(iterator: AsyncIterator<unknown> | Iterator<unknown>): void {
  try {
    const returned = iterator.return?.()
    if (returned instanceof Promise) returned.catch(() => {})
  } catch {
    // As above.
  }
}
