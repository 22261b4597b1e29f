import type { SharedChunk } from '@fw/types'
import type { ChannelEvent } from './history.ts'
import { shared, type Subscriber } from './subscriber.ts'

/**
 * Subscribers that are looked at before they are written to.
 *
 * Between two events of a stream its objects leave the caches of the processor, and each leads to the next: the write to
 * one stream waits for memory five times and more, where a look at several lets the processor fetch them side by side.
 */
const LOOKED_AT_TOGETHER = 16

/** What a broadcast was, for whoever measures. */
export interface Broadcast {
  readonly events: number
  readonly bytes: number
  /** Bytes that clients had not taken of earlier writes. */
  readonly bufferedBytes: number
}

/**
 * Gives the events of one turn to all subscribers, joined into one block.
 *
 * Whoever is unsubscribed on the way, by the filter of another, gets nothing.
 */
// docs/decisions/0060
export function broadcast(subscribers: Iterable<Subscriber>, events: readonly ChannelEvent[]): Broadcast {
  const block = shared(events)
  const selections = new Map<string, SharedChunk>()
  const next: Subscriber[] = []
  let bufferedBytes = 0
  for (const subscriber of subscribers) {
    bufferedBytes += subscriber.stream.bufferedBytes
    if (next.push(subscriber) < LOOKED_AT_TOGETHER) continue
    for (const each of next) each.deliver(events, block, selections)
    next.length = 0
  }
  for (const each of next) each.deliver(events, block, selections)
  return { events: events.length, bytes: block.bytes.byteLength, bufferedBytes }
}
