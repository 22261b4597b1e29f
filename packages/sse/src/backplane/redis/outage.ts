import { setTimeout as delay } from 'node:timers/promises'
import type { RedisConnection } from './connection.ts'
import { reportThrown } from '../../stream/report.ts'

/** Milliseconds to wait before the next attempt. */
const PAUSE_MS = 100

/** Repeats attempts while Redis is failing. Calls `onError` only once until all connections work again. */
export class RedisOutage {
  readonly #closing: AbortSignal
  readonly #onError: (error: unknown) => void
  readonly #failing = new Set<RedisConnection>()

  /**
   * @param closing Aborts all pauses and attempts
   */
  constructor(closing: AbortSignal, onError: (error: unknown) => void = warn) {
    this.#closing = closing
    this.#onError = onError
  }

  /** Records that a connection works. */
  worked(connection: RedisConnection): void {
    this.#failing.delete(connection)
  }

  /** Reports a failure and waits before the next attempt, or until the backplane is closed. */
  async pause(connection: RedisConnection, error: unknown): Promise<void> {
    if (this.#closing.aborted) return
    this.#failed(connection, error)
    // Only events that are waiting to be stored keep the process alive.
    await delay(PAUSE_MS, undefined, { signal: this.#closing, ref: connection.holdsProcess }).catch(() => {})
  }

  /**
   * Repeats an attempt until it succeeds.
   *
   * @param beforeNext Runs before each attempt after the first
   * @throws when the backplane is closed
   */
  async persist<T>(
    connection: RedisConnection,
    attempt: () => Promise<T>,
    beforeNext: () => Promise<void> = async () => {},
  ): Promise<T> {
    for (let isFirst = true; ; isFirst = false) {
      try {
        if (!isFirst) await beforeNext()
        const result = await attempt()
        this.worked(connection)
        return result
      } catch (error) {
        await this.pause(connection, error)
        this.#closing.throwIfAborted()
      }
    }
  }

  #failed(connection: RedisConnection, error: unknown): void {
    const isFirst = this.#failing.size === 0
    this.#failing.add(connection)
    if (!isFirst) return
    try {
      this.#onError(error)
    } catch (thrown) {
      reportThrown('onError of a RedisBackplane', thrown)
    }
  }
}

function warn(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error)
  process.emitWarning(`Redis cannot be reached, so event channels are waiting: ${text}`, 'SseWarning')
}
