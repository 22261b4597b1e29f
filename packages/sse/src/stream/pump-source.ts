import { showValue } from '@fw/options'
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

/** @throws {TypeError} if the source is not an iterable object; a string is text, not a source of single characters */
function iteratorOf(
  source: EventSourceOf,
): AsyncIterator<string | ServerSentEvent> | Iterator<string | ServerSentEvent> {
  if (typeof source === 'object' && source !== null) {
    if (Symbol.asyncIterator in source) return source[Symbol.asyncIterator]()
    if (Symbol.iterator in source) return source[Symbol.iterator]()
  }
  const fix = typeof source === 'string' ? ' Use stream.data() for text.' : ''
  throw new TypeError(`stream.from: source must be an iterable object, got ${showValue(source)}.${fix}`)
}

/** Tells a source that nobody wants more; what it makes of that is no concern of the client that left. */
function stop(iterator: AsyncIterator<unknown> | Iterator<unknown>): void {
  try {
    // Not a promise of ours alone: any that the source makes up.
    Promise.resolve(iterator.return?.()).catch(() => {})
  } catch {
    // As above.
  }
}
