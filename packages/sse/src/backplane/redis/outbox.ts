import { withCode } from '@fw/options'
import { encodeBody, NO_ENTRY, type RedisEntry } from './entry.ts'
import type { BackplaneEvent } from '../backplane.ts'

/** Maximum entries per command. */
const BATCH_COUNT = 200
/** Maximum bytes per command, unless one entry is larger. Other Redis clients must wait while a command is running. */
const BATCH_BYTES = 2 ** 20

/** Limits for the waiting events. */
export interface OutboxLimits {
  readonly maxBufferedEvents: number
  readonly maxBufferedBytes: number
}

/** Queues the published events that Redis has not confirmed yet. */
export class Outbox {
  readonly #limits: OutboxLimits
  readonly #origin: string
  readonly #entries: RedisEntry[] = []
  #bytes = 0
  #published = 0

  /** @param origin The process's name */
  constructor(origin: string, limits: OutboxLimits) {
    this.#origin = origin
    this.#limits = limits
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  /** Adds an event. @throws {Error} if too many events are already waiting */
  add(event: BackplaneEvent): void {
    const { maxBufferedEvents, maxBufferedBytes } = this.#limits
    const body = encodeBody(event)
    const { length } = this.#entries
    // If no other event is waiting, accept an event larger than the limit.
    const bytes = Buffer.byteLength(body)
    if (length >= maxBufferedEvents || (length > 0 && this.#bytes + bytes > maxBufferedBytes)) {
      throw withCode(
        'FW_BACKPLANE_FULL',
        new Error(
          `Cannot publish: ${length} events (${this.#bytes} bytes in total) are already waiting for Redis. ` +
            'Try again later, or raise maxBufferedEvents or maxBufferedBytes.',
        ),
      )
    }
    const number = ++this.#published
    this.#entries.push({ entryId: '*', origin: this.#origin, number, previous: NO_ENTRY, body })
    this.#bytes += bytes
  }

  /** Returns the oldest entries that fit into one command. */
  next(): readonly RedisEntry[] {
    return batchAt(this.#entries, 0)
  }

  /** Removes the oldest entries. */
  remove(count: number): void {
    for (const { body } of this.#entries.splice(0, count)) this.#bytes -= Buffer.byteLength(body)
  }
}

/** Splits entries into commands. */
export function* inBatches(entries: readonly RedisEntry[]): Generator<readonly RedisEntry[]> {
  for (let at = 0; at < entries.length;) {
    const batch = batchAt(entries, at)
    yield batch
    at += batch.length
  }
}

function batchAt(entries: readonly RedisEntry[], start: number): readonly RedisEntry[] {
  let end = start
  for (let bytes = 0; end < entries.length && end - start < BATCH_COUNT; end++) {
    bytes += Buffer.byteLength(entries[end]?.body ?? '')
    if (bytes > BATCH_BYTES && end > start) break
  }
  return entries.slice(start, end)
}
