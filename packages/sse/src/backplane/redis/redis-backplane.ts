import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Backplane, BackplaneEvent, BackplaneHost } from '../backplane.ts'
import { requireFunction, requireKnown, requireWhole } from '../../stream/stream-options.ts'
import { requireClient, RedisConnection, type RedisClient } from './connection.ts'
import {
  compareEntryIds,
  decodeEntry,
  entryOf,
  FIRST_ENTRY,
  NO_ENTRY,
  parseEntries,
  parseRead,
  timeOf,
  type RedisEntry,
} from './entry.ts'
import { inBatches, Outbox } from './outbox.ts'
import { RedisOutage } from './outage.ts'
import { RedisPublishers } from './publishers.ts'
import { addCommand } from './script.ts'
import { reportThrown } from '../../stream/report.ts'

/** How a backplane uses Redis. */
export interface RedisBackplaneOptions {
  /** Stands before the name of the channel in the names of its two keys. Default 'fw:sse:'. */
  readonly prefix?: string | undefined
  /** Events that may wait while Redis is away; then `publish` throws. Default 10,000. */
  readonly maxPending?: number | undefined
  /** Bytes of events that may wait while Redis is away; then `publish` throws. Default 64 MiB. */
  readonly maxPendingBytes?: number | undefined
  /** How long Redis may take for a response before the connection counts as cut, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number | undefined
  /** Told when Redis cannot be reached or refuses, once until everything works again. Default: a process warning. */
  readonly onError?: ((error: unknown) => void) | undefined
}

const NAMES = new Set(['prefix', 'maxPending', 'maxPendingBytes', 'timeoutMs', 'onError'])
const LONGEST_TIMEOUT_MS = 600_000
/** How long a read waits for events, at most. */
const BLOCK_MS = 2000
/** Pause before Redis is tried again. */
const PAUSE_MS = 100
/** How long `close` tries to send what waits, in steps: where the process stands still, only one of them is over. */
const CLOSE_MS = 2000
const CLOSE_STEPS = 20
/** Entries in one response; fewer after one that did not come in time, as it may have been too large for the line. */
const READ_COUNT = 200
/** Kept in Redis at least, for processes that were away for a moment. */
const MIN_KEPT = 1000

/**
 * Joins the channels of several processes by a Redis stream: all see the same events in the same order, and a client
 * that comes back to any of them gets what it missed.
 *
 * Needs Redis 6.2 or later, a single server or a primary with replicas; not Redis Cluster. What Redis forgets when it
 * restarts, the processes put back.
 */
export class RedisBackplane implements Backplane {
  readonly #key: string
  readonly #timeoutMs: number
  readonly #outage: RedisOutage
  /** Reads block their connection, so there are two. Only what waits to be stored keeps the process alive. */
  readonly #reader: RedisConnection
  readonly #writer: RedisConnection
  readonly #outbox: Outbox
  readonly #closing = new AbortController()
  #host: BackplaneHost | undefined = undefined
  /** Entry that was delivered last. */
  #last = FIRST_ENTRY
  /** Entry that Redis has to have before anything is added: the last one seen, unless it is known to be lost for good. */
  #floor = FIRST_ENTRY
  #isLoaded = false
  /** How often Redis came back. */
  #returns = 0
  readonly #publishers = new RedisPublishers()
  #readCount = READ_COUNT
  #sending: Promise<void> | undefined = undefined
  #waiting: (() => void)[] = []
  #catchingUp: Promise<void> | undefined = undefined
  #catchingUpNext: Promise<void> | undefined = undefined

  /**
   * @param client Of the package `redis`. It is duplicated, need not be connected and is not closed
   * @param name Of the channel, the same in every process
   * @throws {TypeError | RangeError} if the client is of another package, the name empty, or an option unknown or out of range
   */
  constructor(client: RedisClient, name: string, options: RedisBackplaneOptions = {}) {
    requireClient(client)
    if (typeof name !== 'string' || name === '') throw new TypeError('Cannot make a backplane: the name is empty')
    requireKnown('make a backplane', options, NAMES)
    const { prefix = 'fw:sse:', maxPending = 10_000, maxPendingBytes = 2 ** 26, timeoutMs = 5000 } = options
    requireFunction('make a backplane', 'onError', options.onError)
    requireWhole('make a backplane', 'maxPending', maxPending)
    requireWhole('make a backplane', 'maxPendingBytes', maxPendingBytes)
    requireWhole('make a backplane', 'timeoutMs', timeoutMs, LONGEST_TIMEOUT_MS)
    this.#timeoutMs = timeoutMs
    this.#key = `${prefix}{${name}}`
    this.#outbox = new Outbox(randomBytes(9).toString('base64url'), { maxPending, maxPendingBytes })
    this.#outage = new RedisOutage(options.onError)
    this.#reader = new RedisConnection(client, false)
    this.#writer = new RedisConnection(client, true)
  }

  open(host: BackplaneHost): Promise<void> {
    if (this.#host !== undefined) throw new Error('Cannot open the backplane: it belongs to a channel already')
    this.#host = host
    return new Promise((resolve) => void this.#read(host, resolve))
  }

  publish(event: BackplaneEvent): void {
    if (this.#closing.signal.aborted) throw new Error('Cannot publish: the backplane is closed')
    this.#outbox.add(event)
    this.#sending ??= this.#send()
  }

  catchUp(): Promise<void> {
    // A storm of clients asks Redis once: those who come while it is asked wait for one more answer, all for the same.
    return (this.#catchingUpNext ??= this.#catchUpAfter(this.#catchingUp))
  }

  async close(): Promise<void> {
    for (let step = 0; this.#sending !== undefined && step < CLOSE_STEPS; step++) {
      const enough = new AbortController()
      const stepOver = delay(CLOSE_MS / CLOSE_STEPS, undefined, { signal: enough.signal }).catch(() => {})
      await Promise.race([this.#sending, stepOver])
      // Otherwise the timer would keep the process alive.
      enough.abort()
    }
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
          await (this.#isLoaded ? this.#comeBack(host) : this.#load(host))
          isInStep = true
          onLoaded()
        }
        const count = String(this.#readCount)
        const reply = await this.#reader.call(
          ['XREAD', 'COUNT', count, 'BLOCK', String(blockMs), 'STREAMS', this.#key, this.#last],
          blockMs + this.#timeoutMs,
        )
        this.#outage.worked(this.#reader)
        this.#readCount = Math.min(this.#readCount * 2, READ_COUNT)
        for (const entry of parseRead(reply)) this.#deliver(host, entry)
        this.#wake()
      } catch (error) {
        isInStep = false
        this.#readCount = Math.ceil(this.#readCount / 2)
        await this.#pause(this.#reader, error)
      }
    }
    onLoaded()
  }

  /** Delivers the newest of what is stored, as much as is worth keeping. */
  async #load(host: BackplaneHost): Promise<void> {
    const entries: RedisEntry[] = []
    let bytes = 0
    for (let end = '+'; ;) {
      const count = String(Math.max(1, Math.min(host.historyCount - entries.length, this.#readCount)))
      const reply = await this.#reader.call(['XREVRANGE', this.#key, end, '-', 'COUNT', count], this.#timeoutMs)
      const page = parseEntries(reply)
      entries.push(...page)
      bytes += page.reduce((sum, { body }) => sum + body.length, 0)
      const oldest = page.at(-1)
      if (oldest === undefined || entries.length >= host.historyCount || bytes >= host.historyBytes) break
      end = `(${oldest.entryId}`
    }
    // Nothing before the first of them was ever here.
    this.#last = entries.at(-1)?.previous || FIRST_ENTRY
    for (const entry of entries.toReversed()) this.#deliver(host, entry, timeOf(entry.entryId))
    this.#isLoaded = true
    this.#wake()
  }

  /** After Redis was away: what it lost is put back. */
  async #comeBack(host: BackplaneHost): Promise<void> {
    await this.#restore(this.#reader, host)
    // What is not even here is lost for good; without it the stream may begin anew, at earlier ids.
    if (compareEntryIds(this.#floor, this.#last) < 0) this.#last = this.#floor
    this.#returns++
    this.#wake()
  }

  /** Puts back what Redis had and has no more: it was restarted without its data, or with older ones. */
  async #restore(connection: RedisConnection, host: BackplaneHost): Promise<void> {
    const newest = await this.#newest(connection)
    if (compareEntryIds(newest, this.#floor) >= 0) return
    const lost = [...host.kept()].map(entryOf).filter(({ entryId }) => compareEntryIds(entryId, newest) > 0)
    for (const batch of inBatches(lost)) {
      await connection.call(addCommand(this.#key, this.#maxLength, FIRST_ENTRY, batch), this.#timeoutMs)
    }
    this.#floor = await this.#newest(connection)
  }

  /** Stores what was published, a batch at a time, in order. */
  async #send(): Promise<void> {
    while (!this.#outbox.isEmpty) {
      const batch = this.#outbox.next()
      try {
        await this.#persist(
          () => this.#writer.call(addCommand(this.#key, this.#maxLength, this.#floor, batch), this.#timeoutMs),
          // Otherwise new events would stand before the lost ones.
          async () => {
            if (this.#host !== undefined) await this.#restore(this.#writer, this.#host)
          },
        )
      } catch {
        // The backplane was closed: nobody waits for these events any more.
        break
      }
      this.#outbox.remove(batch.length)
    }
    this.#sending = undefined
  }

  async #catchUpAfter(before: Promise<void> | undefined): Promise<void> {
    await before?.catch(() => {})
    this.#catchingUp = this.#catchingUpNext
    this.#catchingUpNext = undefined
    for (;;) {
      const newest = await this.#persist(() => this.#newest(this.#writer))
      const returns = this.#returns
      while (compareEntryIds(this.#last, newest) < 0 && returns === this.#returns) {
        await new Promise<void>((resolve) => this.#waiting.push(resolve))
        this.#closing.signal.throwIfAborted()
      }
      // If Redis was away meanwhile, it may have lost that entry.
      if (returns === this.#returns) return
    }
  }

  /** Tries with the writer until it works. @throws when the backplane is closed */
  async #persist<T>(attempt: () => Promise<T>, beforeNext: () => Promise<void> = async () => {}): Promise<T> {
    for (let isFirst = true; ; isFirst = false) {
      try {
        if (!isFirst) await beforeNext()
        const result = await attempt()
        this.#outage.worked(this.#writer)
        return result
      } catch (error) {
        await this.#pause(this.#writer, error)
        this.#closing.signal.throwIfAborted()
      }
    }
  }

  async #newest(connection: RedisConnection): Promise<string> {
    const reply = await connection.call(['XREVRANGE', this.#key, '+', '-', 'COUNT', '1'], this.#timeoutMs)
    return parseEntries(reply)[0]?.entryId ?? FIRST_ENTRY
  }

  /** @param timeMs When the entry was stored, if that was not just now */
  #deliver(host: BackplaneHost, entry: RedisEntry, timeMs?: number): void {
    const { entryId, previous } = entry
    if (previous !== NO_ENTRY && compareEntryIds(previous, this.#last) > 0) host.missed()
    this.#last = entryId
    this.#floor = entryId
    if (this.#publishers.hasDelivered(entry)) return
    const event = decodeEntry(entry)
    if (event === undefined) return
    this.#publishers.deliver(entry)
    try {
      host.deliver(timeMs === undefined ? event : { ...event, timeMs })
    } catch (error) {
      // Something else wrote it, or newer code, which takes more than this process does: no reason to stop reading.
      reportThrown('An event in the stream of a RedisBackplane', error)
    }
  }

  get #maxLength(): number {
    return Math.min(Math.max(this.#host?.historyCount ?? 0, MIN_KEPT), Number.MAX_SAFE_INTEGER)
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** After a failure. Closing ends it. */
  async #pause(connection: RedisConnection, error: unknown): Promise<void> {
    const { signal } = this.#closing
    if (signal.aborted) return
    this.#outage.failed(connection, error)
    // Only what waits to be stored keeps the process alive.
    await delay(PAUSE_MS, undefined, { signal, ref: connection.holdsProcess }).catch(() => {})
  }
}
