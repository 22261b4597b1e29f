import type { RedisConnection } from './connection.ts'
import { reportThrown } from '../../stream/report.ts'

/** Which connections to Redis do not work; an application is told of the first, once until all of them do again. */
export class RedisOutage {
  readonly #onError: (error: unknown) => void
  readonly #failing = new Set<RedisConnection>()

  constructor(onError: (error: unknown) => void = warn) {
    this.#onError = onError
  }

  failed(connection: RedisConnection, error: unknown): void {
    const isFirst = this.#failing.size === 0
    this.#failing.add(connection)
    if (!isFirst) return
    try {
      this.#onError(error)
    } catch (thrown) {
      reportThrown('onError of a RedisBackplane', thrown)
    }
  }

  worked(connection: RedisConnection): void {
    this.#failing.delete(connection)
  }
}

function warn(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error)
  process.emitWarning(`Redis cannot be reached, event channels wait for it: ${text}`, 'SseWarning')
}
