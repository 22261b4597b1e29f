import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { checkOptions, func, integer, type OptionKinds, showValue, text, withCode } from '@fw/options'
import type { Backplane, BackplaneEvent, BackplaneHost } from '../backplane.ts'
import { RedisConnection, requireClient, type RedisClient } from './connection.ts'
import { Outbox } from './outbox.ts'
import { RedisOutage } from './outage.ts'
import { RedisReader } from './reader.ts'
import { StoredEvents } from './stored-events.ts'

/** How a backplane uses Redis. */
export interface RedisBackplaneOptions {
  /** Prefix of the two key names, before the channel name. Default 'fw:sse:'. */
  readonly prefix?: string | undefined
  /** Maximum number of events that can wait while Redis is unavailable. Beyond it, `publish` throws. Default 10,000. */
  readonly maxBufferedEvents?: number | undefined
  /** Maximum bytes of events that can wait while Redis is unavailable. Beyond it, `publish` throws. Default 64 MiB. */
  readonly maxBufferedBytes?: number | undefined
  /** Time limit for a reply from Redis, in milliseconds. After that, the connection is replaced. Default 5,000. */
  readonly timeoutMs?: number | undefined
  /** Called when Redis fails, but only once until all connections work again. Default: a process warning. */
  readonly onError?: ((error: unknown) => void) | undefined
}

const LONGEST_TIMEOUT_MS = 600_000
/** Milliseconds that `close` has to store events, split into steps. If the process is suspended, only one step expires. */
const CLOSE_MS = 2000
const CLOSE_STEPS = 20

const KINDS: OptionKinds<RedisBackplaneOptions> = {
  prefix: text,
  maxBufferedEvents: integer(0),
  maxBufferedBytes: integer(0),
  timeoutMs: integer(0, LONGEST_TIMEOUT_MS),
  onError: func,
}

/** Suggestions for commonly mistaken names. */
const MEANT = { maxPending: 'maxBufferedEvents', maxPendingBytes: 'maxBufferedBytes' }

/**
 * Joins the channels of several processes through a Redis stream. All processes receive the same events in the same order, and
 * a client that reconnects to any of them receives its missed events.
 *
 * Requires Redis 6.2 or later: a single server, or a primary with replicas. Redis Cluster is not supported. If Redis restarts
 * without its data, the processes restore the events in their histories.
 */
// docs/decisions/0061
export class RedisBackplane implements Backplane {
  readonly #stored: StoredEvents
  readonly #outage: RedisOutage
  readonly #reader: RedisReader
  /**
   * Connection for all commands except blocking reads. Only events that are waiting to be stored keep the process
   * alive.
   */
  readonly #writer: RedisConnection
  readonly #outbox: Outbox
  readonly #closing = new AbortController()
  #isOpen = false
  #sending: Promise<void> | undefined = undefined

  /**
   * Creates the backplane of one channel.
   *
   * @param client A client from the `redis` package, connected or not. The backplane duplicates the client and never closes it
   * @param name Name of the channel; must be the same in every process
   * @throws {TypeError | RangeError} if the client is from another package, the name is empty or an option is invalid
   */
  constructor(client: RedisClient, name: string, options: RedisBackplaneOptions = {}) {
    requireClient(client)
    if (typeof name !== 'string' || name === '') {
      const fix = 'Use the same name in every process.'
      throw withCode(
        'FW_INVALID_ARGUMENT',
        new TypeError(`RedisBackplane: name must be a non-empty string, got ${showValue(name)}. ${fix}`),
      )
    }
    checkOptions('RedisBackplane', options, KINDS, MEANT)
    const { prefix = 'fw:sse:', maxBufferedEvents = 10_000, maxBufferedBytes = 2 ** 26, timeoutMs = 5000 } = options
    const closing = this.#closing.signal
    this.#stored = new StoredEvents(`${prefix}{${name}}`, timeoutMs)
    this.#outbox = new Outbox(randomBytes(9).toString('base64url'), { maxBufferedEvents, maxBufferedBytes })
    const outage = new RedisOutage(closing, options.onError)
    this.#outage = outage
    this.#writer = new RedisConnection(client, true)
    const connection = new RedisConnection(client, false)
    this.#reader = new RedisReader({ stored: this.#stored, outage, closing, connection })
  }

  /** Delivers the stored events to the channel, then each new one. Called by the channel. */
  open(host: BackplaneHost): Promise<void> {
    if (this.#isOpen) {
      throw withCode(
        'FW_BACKPLANE_TAKEN',
        new Error('Cannot open the backplane: another channel uses it. Create one backplane per channel.'),
      )
    }
    this.#isOpen = true
    this.#stored.open(host)
    return new Promise((resolve) => void this.#reader.read(host, resolve))
  }

  /** Queues an event for Redis. Called by the channel. @throws {Error} if too many events are already waiting */
  publish(event: BackplaneEvent): void {
    if (this.#closing.signal.aborted) {
      throw withCode('FW_BACKPLANE_CLOSED', new Error('Cannot publish: the backplane is closed. Create a new one.'))
    }
    this.#outbox.add(event)
    this.#sending ??= this.#send()
  }

  /** Resolves when this process has received all events published before the call. */
  catchUp(): Promise<void> {
    return this.#reader.catchUp(this.#writer)
  }

  /** Sends waiting events, within a short time limit, and closes the connections. */
  async close(): Promise<void> {
    for (let step = 0; this.#sending !== undefined && step < CLOSE_STEPS; step++) {
      const enough = new AbortController()
      const stepOver = delay(CLOSE_MS / CLOSE_STEPS, undefined, { signal: enough.signal }).catch(() => {})
      await Promise.race([this.#sending, stepOver])
      // Clear the timer, which would keep the process alive.
      enough.abort()
    }
    this.#closing.abort(withCode('FW_BACKPLANE_CLOSED', new Error('The backplane is closed')))
    this.#writer.close()
    this.#reader.close()
  }

  /** Stores the published events in order, one batch at a time. */
  async #send(): Promise<void> {
    while (!this.#outbox.isEmpty) {
      const batch = this.#outbox.next()
      try {
        await this.#outage.persist(
          this.#writer,
          () => this.#stored.add(this.#writer, batch),
          // Otherwise, new events would precede the lost events.
          () => this.#stored.restore(this.#writer),
        )
      } catch {
        // The backplane was closed, so no caller is waiting for these events.
        break
      }
      this.#outbox.remove(batch.length)
    }
    this.#sending = undefined
  }
}
