import { showValue, withCode } from '@fw/options'
import type { SharedChunk } from '@fw/types'
import type { EventFilter, SlowSubscriber } from './channel-options.ts'
import type { EventStream } from '../stream/event-stream.ts'
import type { ChannelEvent, History } from './history.ts'
import { reportThrown } from '../stream/report.ts'
import type { StreamListener } from '../stream/stream-listener.ts'

/** Bytes per write while a client is catching up. */
const SLICE_BYTES = 64 * 1024

/** Fill level of the buffer at which a subscriber counts as slow. */
const SLOW_SHARE = 0.75

/** The members of a channel that a subscriber uses. */
export interface SubscriberHost {
  readonly history: History
  readonly slowConsumer: SlowSubscriber
  readonly maxBufferedBytes: number
  /** Sends the events from this turn to all subscribers immediately. */
  flush(): void
  onSlow(subscriber: Subscriber, bufferedBytes: number): void
  onDrop(subscriber: Subscriber, events: number): void
  onEnd(subscriber: Subscriber): void
}

/**
 * One stream on a channel. It is catching up from the history, live, or waiting for its client to read.
 *
 * While catching up, it stores only its position in the history. While waiting, it queues references to shared blocks.
 */
export class Subscriber implements StreamListener {
  // Fields that a broadcast uses come first, so that they share a cache line.
  readonly stream: EventStream
  readonly #filter: EventFilter | undefined
  /** Sequence number of the next event for this client. */
  #nextSeq = 0
  /** Whether the subscriber has caught up and its stream is open. */
  #isLive = false
  #queue: Map<number | string, ChannelEvent> | undefined = undefined
  readonly #host: SubscriberHost
  /** The stream's counters in `Admission`. */
  readonly counted: readonly string[]
  #queuedBytes = 0
  #isSlow = false
  #isOver = false

  constructor(stream: EventStream, host: SubscriberHost, filter: EventFilter | undefined, counted: readonly string[]) {
    this.stream = stream
    this.#filter = filter
    this.#host = host
    this.counted = counted
  }

  onTurn(): void {
    this.#host.flush()
  }

  onEnding(): void {
    this.#host.flush()
    const queue = this.#queue
    this.#queue = undefined
    if (queue !== undefined) for (const { wire } of queue.values()) this.stream.write(wire, 1)
  }

  onEnd(): void {
    this.#isOver = true
    this.#isLive = false
    this.#queue = undefined
    this.#host.onEnd(this)
  }

  /** Sends the kept events starting at `seq`, then becomes live. */
  start(seq: number): void {
    this.#nextSeq = seq
    this.#catchUp()
  }

  /**
   * Sends the events from one turn.
   *
   * @param block All events, joined and shared with other subscribers
   * @param selections Blocks for other selections, by the sequence numbers of their events
   */
  deliver(events: readonly ChannelEvent[], block: SharedChunk, selections: Map<string, SharedChunk>): void {
    if (!this.#isLive) return
    const wanted = this.#wanted(events)
    // The filter may have unsubscribed this stream.
    if (wanted.length === 0 || !this.#isLive) return
    if (this.#queue !== undefined) for (const event of wanted) this.#enqueue(event)
    else {
      const chunk = wanted === events ? block : selected(wanted, selections)
      if (!this.stream.writeShared(chunk, wanted.length)) this.#wait()
    }
  }

  #catchUp(): void {
    const { history } = this.#host
    while (this.#nextSeq < history.nextSeq) {
      if (this.#isOver) return
      // The next events were removed from the history. Abort, so that the client reconnects and `onGap` is called.
      if (this.#nextSeq < history.firstSeq) return this.stream.breakOff()
      const slice = this.#nextSlice(history)
      if (slice.length === 0 || this.stream.write(joined(slice), slice.length)) continue
      void this.stream.drained().then(() => this.#catchUp())
      return
    }
    this.#isLive = !this.#isOver
  }

  #nextSlice(history: History): ChannelEvent[] {
    const slice: ChannelEvent[] = []
    for (let bytes = 0; bytes < SLICE_BYTES;) {
      const event = history.at(this.#nextSeq)
      if (event === undefined) break
      this.#nextSeq++
      if (!this.#wants(event)) continue
      bytes += event.wire.byteLength
      slice.push(event)
    }
    return slice
  }

  #wanted(events: readonly ChannelEvent[]): readonly ChannelEvent[] {
    const from = this.#nextSeq
    if (this.#filter === undefined && (events[0]?.seq ?? 0) >= from) return events
    const wanted = events.filter((event) => event.seq >= from && this.#wants(event))
    return wanted.length === events.length ? events : wanted
  }

  #wants(event: ChannelEvent): boolean {
    if (this.#filter === undefined) return true
    try {
      const isWanted: unknown = this.#filter(event)
      // A promise would be truthy for every event.
      if (typeof isWanted !== 'boolean') {
        throw withCode(
          'FW_INVALID_RETURN',
          new TypeError(
            `channel.subscribe: filter must return true or false, got ${showValue(isWanted)}. Make it synchronous.`,
          ),
        )
      }
      return isWanted
    } catch (error) {
      reportThrown('The filter of an SseChannel subscriber', error)
      return false
    }
  }

  #wait(): void {
    this.#queue = new Map()
    void this.stream.drained().then(() => this.#resume())
  }

  #resume(): void {
    const queue = this.#queue
    this.#queue = undefined
    this.#queuedBytes = 0
    this.#isSlow = false
    if (queue === undefined || queue.size === 0 || !this.stream.isOpen()) return
    if (!this.stream.write(joined([...queue.values()]), queue.size)) this.#wait()
  }

  #enqueue(event: ChannelEvent): void {
    const queue = this.#queue
    // The previous event may have ended the stream.
    if (queue === undefined) return
    const { slowConsumer, maxBufferedBytes } = this.#host
    const key = slowConsumer === 'latest-by-key' ? (event.key ?? event.seq) : event.seq
    let dropped = this.#remove(queue, key)
    const room = maxBufferedBytes - this.stream.bufferedBytes - event.wire.byteLength
    if (this.#queuedBytes > room && slowConsumer === 'close') return this.stream.breakOff()
    if (this.#queuedBytes > room && slowConsumer === 'drop-newest') dropped++
    else {
      // Keep the newest event even if it alone exceeds the limit, so that the client eventually receives the current state.
      for (const oldest of this.#queuedBytes > room ? queue.keys() : []) {
        dropped += this.#remove(queue, oldest)
        if (this.#queuedBytes <= room) break
      }
      queue.set(key, event)
      this.#queuedBytes += event.wire.byteLength
    }
    if (dropped > 0) this.#host.onDrop(this, dropped)
    this.#warn()
  }

  #remove(queue: Map<number | string, ChannelEvent>, key: number | string): number {
    const event = queue.get(key)
    if (event === undefined) return 0
    queue.delete(key)
    this.#queuedBytes -= event.wire.byteLength
    return 1
  }

  #warn(): void {
    const bufferedBytes = this.stream.bufferedBytes + this.#queuedBytes
    if (this.#isSlow || bufferedBytes < this.#host.maxBufferedBytes * SLOW_SHARE) return
    this.#isSlow = true
    this.#host.onSlow(this, bufferedBytes)
  }
}

/** Joins the blocks of several events. */
function joined(events: readonly ChannelEvent[]): Uint8Array {
  const [only] = events
  return events.length === 1 && only !== undefined ? only.wire : Buffer.concat(events.map(({ wire }) => wire))
}

/** Joins the blocks of several events into a chunk that several streams share. */
export function shared(events: readonly ChannelEvent[]): SharedChunk {
  return { bytes: joined(events), chunked: undefined }
}

/** Joins the blocks of several events, only once for all subscribers with the same selection. */
function selected(events: readonly ChannelEvent[], selections: Map<string, SharedChunk>): SharedChunk {
  const name = events.map(({ seq }) => seq).join()
  let chunk = selections.get(name)
  if (chunk === undefined) selections.set(name, (chunk = shared(events)))
  return chunk
}
