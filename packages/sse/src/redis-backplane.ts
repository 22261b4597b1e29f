import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Backplane, BackplaneEvent, BackplaneHost } from './backplane.ts'
import { requireKnown, requireWhole } from './options.ts'
import { RedisConnection, type RedisClient } from './redis-connection.ts'
import {
  compareEntryIds,
  decodeEntry,
  encodeBody,
  entryOf,
  FIRST_ENTRY,
  parseEntries,
  parseRead,
  type RedisEntry,
} from './redis-entry.ts'
import { addCommand } from './redis-script.ts'
import { reportThrown } from './report.ts'

/** How a backplane uses Redis. */
export interface RedisBackplaneOptions {
  /** Stands before the name of the channel in the names of its two keys. Default 'fw:sse:'. */
  readonly prefix?: string | undefined
  /** Events that may wait while Redis is away; then `publish` throws. Default 10,000. */
  readonly maxPending?: number | undefined
  /** How long Redis may take for an answer before the connection counts as cut, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number | undefined
  /** Told when Redis cannot be reached, once until it can. Default: a process warning. */
  readonly onError?: ((error: unknown) => void) | undefined
}

const NAMES = new Set(['prefix', 'maxPending', 'timeoutMs', 'onError'])
const LONGEST_TIMEOUT_MS = 600_000
/** How long a read waits for events, at most. */
const BLOCK_MS = 2000
/** Pause before Redis is tried again. */
const PAUSE_MS = 100
/** How long `close` tries to send what waits. */
const CLOSE_MS = 2000
/** Entries in one command. */
const BATCH = 200
/** Kept in Redis at least, for processes that were away for a moment. */
const MIN_KEPT = 1000
/** Publishers that repetitions are known of. */
const MAX_ORIGINS = 10_000

/**
 * Joins the channels of several processes by a Redis stream: all see the same events in the same order, and a client
 * that comes back to any of them gets what it missed.
 *
 * Needs Redis 6.2 or later, a single server or a primary with replicas; not Redis Cluster. What Redis forgets when it
 * restarts, the processes put back.
 */
export class RedisBackplane implements Backplane {
  readonly #key: string
  readonly #maxPending: number
  readonly #timeoutMs: number
  readonly #onError: (error: unknown) => void
  /** Reads block their connection, so there are two. */
  readonly #reader: RedisConnection
  readonly #writer: RedisConnection
  readonly #origin = randomBytes(9).toString('base64url')
  readonly #closing = new AbortController()
  #host: BackplaneHost | undefined = undefined
  /** Entry that was delivered last. */
  #last = FIRST_ENTRY
  /** Entry that Redis has to have before anything is added: the last one seen, unless it is known to be lost for good. */
  #floor = FIRST_ENTRY
  #isLoaded = false
  #isAway = false
  /** Highest number delivered of each publisher. */
  readonly #delivered = new Map<string, number>()
  /** Published and not yet known to be stored. */
  readonly #outbox: RedisEntry[] = []
  #published = 0
  #sending: Promise<void> | undefined = undefined
  #waiting: (() => void)[] = []

  /**
   * @param client Of the package `redis`. It is duplicated, need not be connected and is not closed
   * @param name Of the channel, the same in every process
   * @throws {TypeError | RangeError} if the name is empty, or an option unknown or out of range
   */
  constructor(client: RedisClient, name: string, options: RedisBackplaneOptions = {}) {
    if (typeof name !== 'string' || name === '') throw new TypeError('Cannot make a backplane: the name is empty')
    requireKnown('make a backplane', options, NAMES)
    const { prefix = 'fw:sse:', maxPending = 10_000, timeoutMs = 5000, onError = warn } = options
    requireWhole('make a backplane', 'maxPending', maxPending)
    requireWhole('make a backplane', 'timeoutMs', timeoutMs, LONGEST_TIMEOUT_MS)
    this.#timeoutMs = timeoutMs
    this.#key = `${prefix}{${name}}`
    this.#maxPending = maxPending
    this.#onError = onError
    this.#reader = new RedisConnection(client)
    this.#writer = new RedisConnection(client)
  }

  open(host: BackplaneHost): Promise<void> {
    if (this.#host !== undefined) throw new Error('Cannot open the backplane: it belongs to a channel already')
    this.#host = host
    return new Promise((resolve) => void this.#read(host, resolve))
  }

  publish(event: BackplaneEvent): void {
    if (this.#closing.signal.aborted) throw new Error('Cannot publish: the backplane is closed')
    if (this.#outbox.length >= this.#maxPending) {
      throw new Error(`Cannot publish: ${this.#outbox.length} events wait for Redis already`)
    }
    this.#outbox.push({ entryId: '*', origin: this.#origin, number: ++this.#published, body: encodeBody(event) })
    this.#sending ??= this.#send()
  }

  async catchUp(): Promise<void> {
    const newest = await this.#persist(() => this.#newest(this.#writer))
    while (compareEntryIds(this.#last, newest) < 0) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
      this.#closing.signal.throwIfAborted()
    }
  }

  async close(): Promise<void> {
    if (this.#sending !== undefined) await Promise.race([this.#sending, delay(CLOSE_MS)])
    this.#closing.abort(new Error('The backplane is closed'))
    this.#reader.close()
    this.#writer.close()
    this.#wake()
  }

  /** Delivers what is stored, then what comes, until the backplane is closed. */
  async #read(host: BackplaneHost, onLoaded: () => void): Promise<void> {
    const blockMs = Math.min(BLOCK_MS, this.#timeoutMs)
    let isInStep = false
    while (!this.#closing.signal.aborted) {
      try {
        if (!isInStep) {
          await (this.#isLoaded ? this.#findLoss(host) : this.#load(host))
          isInStep = true
          onLoaded()
        }
        const reply = await this.#reader.call(
          ['XREAD', 'COUNT', String(BATCH), 'BLOCK', String(blockMs), 'STREAMS', this.#key, this.#last],
          blockMs + this.#timeoutMs,
        )
        this.#isAway = false
        for (const entry of parseRead(reply)) this.#deliver(host, entry)
        this.#wake()
      } catch (error) {
        isInStep = false
        await this.#pause(error)
      }
    }
    onLoaded()
  }

  async #load(host: BackplaneHost): Promise<void> {
    const count = Math.max(1, Math.min(host.historyCount, Number.MAX_SAFE_INTEGER))
    const reply = await this.#reader.call(['XREVRANGE', this.#key, '+', '-', 'COUNT', String(count)], this.#timeoutMs)
    for (const entry of parseEntries(reply).toReversed()) this.#deliver(host, entry)
    this.#isLoaded = true
    this.#wake()
  }

  /** After Redis was away: what it lost is put back, and what was lost here is told. */
  async #findLoss(host: BackplaneHost): Promise<void> {
    await this.#restore(this.#reader, host)
    // What is not even here is lost for good; without it the stream may begin anew, at earlier ids.
    if (compareEntryIds(this.#floor, this.#last) < 0) this.#last = this.#floor
    const [oldest] = parseEntries(
      await this.#reader.call(['XRANGE', this.#key, '-', '+', 'COUNT', '1'], this.#timeoutMs),
    )
    // The entry that was delivered last, or the one after it, may have been removed: nobody can tell.
    if (oldest !== undefined && this.#last !== FIRST_ENTRY && compareEntryIds(oldest.entryId, this.#last) > 0) {
      host.missed()
    }
  }

  /** Puts back what Redis had and has no more: it was restarted without its data, or with older ones. */
  async #restore(connection: RedisConnection, host: BackplaneHost): Promise<void> {
    const newest = await this.#newest(connection)
    if (compareEntryIds(newest, this.#floor) >= 0) return
    const lost = [...host.kept()].map(entryOf).filter(({ entryId }) => compareEntryIds(entryId, newest) > 0)
    for (let at = 0; at < lost.length; at += BATCH) {
      const batch = lost.slice(at, at + BATCH)
      await connection.call(addCommand(this.#key, this.#maxLength, FIRST_ENTRY, batch), this.#timeoutMs)
    }
    this.#floor = await this.#newest(connection)
  }

  /** Stores what was published, a batch at a time, in order. */
  async #send(): Promise<void> {
    while (this.#outbox.length > 0) {
      const batch = this.#outbox.slice(0, BATCH)
      await this.#persist(
        () => this.#writer.call(addCommand(this.#key, this.#maxLength, this.#floor, batch), this.#timeoutMs),
        // Otherwise new events would stand before the lost ones.
        async () => {
          if (this.#host !== undefined) await this.#restore(this.#writer, this.#host)
        },
      ).catch(() => this.#outbox.splice(0))
      this.#outbox.splice(0, batch.length)
    }
    this.#sending = undefined
  }

  /** Tries until it works. @throws when the backplane is closed */
  async #persist<T>(attempt: () => Promise<T>, beforeNext: () => Promise<void> = async () => {}): Promise<T> {
    for (let isFirst = true; ; isFirst = false) {
      try {
        if (!isFirst) await beforeNext()
        return await attempt()
      } catch (error) {
        await this.#pause(error)
        this.#closing.signal.throwIfAborted()
      }
    }
  }

  async #newest(connection: RedisConnection): Promise<string> {
    const reply = await connection.call(['XREVRANGE', this.#key, '+', '-', 'COUNT', '1'], this.#timeoutMs)
    return parseEntries(reply)[0]?.entryId ?? FIRST_ENTRY
  }

  #deliver(host: BackplaneHost, entry: RedisEntry): void {
    this.#last = entry.entryId
    this.#floor = entry.entryId
    const { origin, number } = entry
    if (number <= (this.#delivered.get(origin) ?? 0)) return
    const event = decodeEntry(entry)
    if (event === undefined) return
    this.#delivered.delete(origin)
    this.#delivered.set(origin, number)
    if (this.#delivered.size > MAX_ORIGINS) {
      for (const oldest of this.#delivered.keys()) {
        this.#delivered.delete(oldest)
        break
      }
    }
    host.deliver(event)
  }

  get #maxLength(): number {
    return Math.min(Math.max(this.#host?.historyCount ?? 0, MIN_KEPT), Number.MAX_SAFE_INTEGER)
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  async #pause(reason: unknown): Promise<void> {
    const { signal } = this.#closing
    if (signal.aborted) return
    if (!this.#isAway) {
      this.#isAway = true
      try {
        this.#onError(reason)
      } catch (thrown) {
        reportThrown('onError of a RedisBackplane', thrown)
      }
    }
    // Closing ends the pause too.
    await delay(PAUSE_MS, undefined, { signal }).catch(() => {})
  }
}

function warn(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error)
  process.emitWarning(`Redis cannot be reached, event channels wait for it: ${text}`, 'SseWarning')
}
