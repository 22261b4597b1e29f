import { showValue, withCode } from '@fw/options'
import type { ServerSentEvent } from './event.ts'
import type { StreamListener } from './stream-listener.ts'

/** A source of events. A string is the data of an unnamed event. */
export type EventSourceOf = AsyncIterable<string | ServerSentEvent> | Iterable<string | ServerSentEvent>

/** The members of a stream that a source uses. */
export interface SourceTarget {
  isOpen(): boolean
  data(text: string): Promise<void>
  send(block: ServerSentEvent): Promise<void>
  listen(listener: StreamListener): void
  unlisten(listener: StreamListener): void
}

/** Sends the events from a source until the source or the stream ends. See `SseStream.from`. */
export async function pumpSource(stream: SourceTarget, source: EventSourceOf): Promise<void> {
  if (!stream.isOpen()) return
  const iterator = iteratorOf(source)
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
      // Discard events that the source yields after the end of the stream.
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

/** @throws {TypeError} if the source is not an iterable object. A string is refused, because it would yield characters */
function iteratorOf(
  source: EventSourceOf,
): AsyncIterator<string | ServerSentEvent> | Iterator<string | ServerSentEvent> {
  if (typeof source === 'object' && source !== null) {
    if (Symbol.asyncIterator in source) return source[Symbol.asyncIterator]()
    if (Symbol.iterator in source) return source[Symbol.iterator]()
  }
  const fix = typeof source === 'string' ? 'Use stream.data() for text.' : 'Pass an array, a generator or a stream.'
  throw withCode(
    'FW_INVALID_ARGUMENT',
    new TypeError(`stream.from: source must be an iterable object, got ${showValue(source)}. ${fix}`),
  )
}

/** Ends a source. Ignores errors from the source, because no caller is waiting for them. */
function stop(iterator: AsyncIterator<unknown> | Iterator<unknown>): void {
  try {
    // `return` can return a foreign promise or no promise.
    Promise.resolve(iterator.return?.()).catch(() => {})
  } catch {
    // A source can also throw synchronously.
  }
}
