import type { SharedChunk } from '@fw/types'
import type { ChannelEvent } from './history.ts'
import { shared, type Subscriber } from './subscriber.ts'

/**
 * Number of subscribers whose objects are read before the first write. With many streams, the objects of a stream are not in a
 * CPU cache, and a write would wait for memory five times. Reading several streams first lets the CPU overlap these waits.
 */
const READ_AHEAD = 16

/** Measurements of one broadcast, for metrics. */
export interface Broadcast {
  readonly events: number
  readonly bytes: number
  /** Bytes from earlier writes that the subscribers have not read yet. */
  readonly bufferedBytes: number
}

/**
 * Sends the events from one turn to all subscribers, joined into one block. A subscriber that a filter unsubscribes during the
 * broadcast receives nothing.
 */
// docs/decisions/0060
export function broadcast(subscribers: Iterable<Subscriber>, events: readonly ChannelEvent[]): Broadcast {
  const block = shared(events)
  const selections = new Map<string, SharedChunk>()
  const next: Subscriber[] = []
  let bufferedBytes = 0
  for (const subscriber of subscribers) {
    bufferedBytes += subscriber.stream.bufferedBytes
    if (next.push(subscriber) < READ_AHEAD) continue
    for (const each of next) each.deliver(events, block, selections)
    next.length = 0
  }
  for (const each of next) each.deliver(events, block, selections)
  return { events: events.length, bytes: block.bytes.byteLength, bufferedBytes }
}
