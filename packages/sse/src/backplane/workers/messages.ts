import type { BackplaneEvent, DeliveredEvent } from '../backplane.ts'

/** Part of every message. */
interface OfChannel {
  /** Name of the channel. */
  readonly channel: string
}

/** Messages from a worker to the primary. */
export type ToPrimary =
  /** Requests the kept events, then each new one. */
  | ({ readonly sse: 'join' } & OfChannel)
  | ({ readonly sse: 'publish'; readonly events: readonly BackplaneEvent[] } & OfChannel)
  /** Requests a `caughtUp` message with the same number, after all events published before the request. */
  | ({ readonly sse: 'catchUp'; readonly question: number } & OfChannel)
  | ({ readonly sse: 'leave' } & OfChannel)

/** Messages from the primary to a worker. */
export type ToWorker =
  /** Sent after the kept events. */
  | ({ readonly sse: 'joined' } & OfChannel)
  | ({ readonly sse: 'deliver'; readonly events: readonly DeliveredEvent[] } & OfChannel)
  | ({ readonly sse: 'caughtUp'; readonly question: number } & OfChannel)

/** Reports whether a message belongs to this package instead of the application. */
export function isSseMessage(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'sse' in message && 'channel' in message
}

/** Collects the items of one event-loop turn and forwards them together. */
export class TurnBatch<T> {
  readonly #pass: (items: readonly T[]) => void
  #items: T[] = []
  #passing: NodeJS.Immediate | undefined = undefined

  constructor(pass: (items: readonly T[]) => void) {
    this.#pass = pass
  }

  add(item: T): void {
    this.#items.push(item)
    this.#passing ??= setImmediate(() => this.flush())
  }

  /** Forwards the collected items immediately. */
  flush(): void {
    clearImmediate(this.#passing)
    this.#passing = undefined
    const items = this.#items
    this.#items = []
    if (items.length > 0) this.#pass(items)
  }
}
