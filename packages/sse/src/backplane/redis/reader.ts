import type { BackplaneHost } from '../backplane.ts'
import type { RedisConnection } from './connection.ts'
import {
  compareEntryIds,
  decodeEntry,
  FIRST_ENTRY,
  NO_ENTRY,
  parseEntries,
  parseRead,
  timeOf,
  type RedisEntry,
} from './entry.ts'
import type { RedisOutage } from './outage.ts'
import type { StoredEvents } from './stored-events.ts'
import { reportThrown } from '../../stream/report.ts'

/** Maximum milliseconds that one read waits for events. */
const BLOCK_MS = 2000
/** Maximum entries in one reply. Late replies reduce this number, because a reply can be too large for a slow connection. */
const READ_COUNT = 200

/** Maximum number of publishers whose repeated events are detected. */
const MAX_PUBLISHERS = 10_000

/** The parts of a backplane that a reader uses. */
export interface ReaderParts {
  readonly stored: StoredEvents
  readonly outage: RedisOutage
  /** Aborts when reading must end. */
  readonly closing: AbortSignal
  /** Connection that only this reader uses, because a blocking read delays all other commands. */
  readonly connection: RedisConnection
}

/** Delivers a channel's stored events in order, and catches up after Redis was unavailable. */
export class RedisReader {
  readonly #stored: StoredEvents
  readonly #outage: RedisOutage
  readonly #closing: AbortSignal
  readonly #connection: RedisConnection
  readonly #publishers = new RedisPublishers()
  /** The last delivered entry. */
  #last = FIRST_ENTRY
  #isLoaded = false
  /** Number of times that Redis became available again. */
  #returns = 0
  #readCount = READ_COUNT
  #waiting: (() => void)[] = []
  #catchingUp: Promise<void> | undefined = undefined
  #catchingUpNext: Promise<void> | undefined = undefined

  constructor({ stored, outage, closing, connection }: ReaderParts) {
    this.#stored = stored
    this.#outage = outage
    this.#closing = closing
    this.#connection = connection
  }

  /**
   * Delivers the stored events, then each new one, until the backplane is closed.
   *
   * @param onLoaded Called when the stored events have been delivered, after each outage and at the end
   */
  async read(host: BackplaneHost, onLoaded: () => void): Promise<void> {
    const { key, timeoutMs } = this.#stored
    const blockMs = Math.min(BLOCK_MS, timeoutMs)
    let isInStep = false
    while (!this.#closing.aborted) {
      try {
        if (!isInStep) {
          await (this.#isLoaded ? this.#comeBack() : this.#load(host))
          isInStep = true
          onLoaded()
        }
        const count = String(this.#readCount)
        const reply = await this.#connection.call(
          ['XREAD', 'COUNT', count, 'BLOCK', String(blockMs), 'STREAMS', key, this.#last],
          blockMs + timeoutMs,
        )
        this.#outage.worked(this.#connection)
        this.#readCount = Math.min(this.#readCount * 2, READ_COUNT)
        for (const entry of parseRead(reply)) this.#deliver(host, entry)
        this.#wake()
      } catch (error) {
        isInStep = false
        this.#readCount = Math.ceil(this.#readCount / 2)
        await this.#outage.pause(this.#connection, error)
      }
    }
    onLoaded()
  }

  /**
   * Resolves when every event that is stored at the time of the call has been delivered.
   *
   * @param connection Requests the newest entry, because the reading connection is blocked
   * @throws when the backplane is closed
   */
  catchUp(connection: RedisConnection): Promise<void> {
    // Many simultaneous clients cause only a few requests to Redis, because clients that arrive during a request share the next
    // one.
    return (this.#catchingUpNext ??= this.#catchUpAfter(connection, this.#catchingUp))
  }

  /** Closes the connection and ends all waiting calls. Abort the constructor's signal first. */
  close(): void {
    this.#connection.close()
    this.#wake()
  }

  /** Delivers the newest stored events, up to the limits of the history. */
  async #load(host: BackplaneHost): Promise<void> {
    const { key, timeoutMs } = this.#stored
    const entries: RedisEntry[] = []
    let bytes = 0
    for (let end = '+'; ;) {
      const count = String(Math.max(1, Math.min(host.historyCount - entries.length, this.#readCount)))
      const reply = await this.#connection.call(['XREVRANGE', key, end, '-', 'COUNT', count], timeoutMs)
      const page = parseEntries(reply)
      entries.push(...page)
      bytes += page.reduce((sum, { body }) => sum + body.length, 0)
      const oldest = page.at(-1)
      if (oldest === undefined || entries.length >= host.historyCount || bytes >= host.historyBytes) break
      end = `(${oldest.entryId}`
    }
    // This process never had the entries before the first one, so they are not a gap.
    this.#last = entries.at(-1)?.previous || FIRST_ENTRY
    for (const entry of entries.toReversed()) this.#deliver(host, entry, timeOf(entry.entryId))
    this.#isLoaded = true
    this.#wake()
  }

  /** Restores the entries that Redis lost while it was unavailable. */
  async #comeBack(): Promise<void> {
    await this.#stored.restore(this.#connection)
    // Entries that the history no longer has are lost permanently. Redis may then assign lower IDs again.
    if (compareEntryIds(this.#stored.floor, this.#last) < 0) this.#last = this.#stored.floor
    this.#returns++
    this.#wake()
  }

  async #catchUpAfter(connection: RedisConnection, before: Promise<void> | undefined): Promise<void> {
    await before?.catch(() => {})
    this.#catchingUp = this.#catchingUpNext
    this.#catchingUpNext = undefined
    for (;;) {
      const newest = await this.#outage.persist(connection, () => this.#stored.newest(connection))
      const returns = this.#returns
      while (compareEntryIds(this.#last, newest) < 0 && returns === this.#returns) {
        await new Promise<void>((resolve) => this.#waiting.push(resolve))
        this.#closing.throwIfAborted()
      }
      // If Redis was unavailable in the meantime, it may have lost that entry.
      if (returns === this.#returns) return
    }
  }

  /**
   * @param timeMs Time at which a stored entry was added. Omit it for a new entry
   */
  #deliver(host: BackplaneHost, entry: RedisEntry, timeMs?: number): void {
    const { entryId, previous } = entry
    if (previous !== NO_ENTRY && compareEntryIds(previous, this.#last) > 0) host.missed()
    this.#last = entryId
    this.#stored.floor = entryId
    if (this.#publishers.hasDelivered(entry)) return
    const event = decodeEntry(entry)
    if (event === undefined) return
    this.#publishers.deliver(entry)
    try {
      host.deliver(timeMs === undefined ? event : { ...event, timeMs })
    } catch (error) {
      // Another program or a newer version may have written an event that this version refuses. Continue with the next event.
      reportThrown('An event in the stream of a RedisBackplane', error)
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

/** The last delivered number of each publisher, which reveals repeated events. */
class RedisPublishers {
  readonly #delivered = new Map<string, number>()

  hasDelivered({ origin, number }: RedisEntry): boolean {
    return number <= (this.#delivered.get(origin) ?? 0)
  }

  /** Records a publisher's latest event. Removes the publisher that has been silent for longest if there are too many. */
  deliver({ origin, number }: RedisEntry): void {
    this.#delivered.delete(origin)
    this.#delivered.set(origin, number)
    if (this.#delivered.size <= MAX_PUBLISHERS) return
    const [silent] = this.#delivered.keys()
    if (silent !== undefined) this.#delivered.delete(silent)
  }
}
