import type { BackplaneEvent, DeliveredEvent } from '../backplane.ts'

/** What the messages of one channel say. */
interface OfChannel {
  /** Name of the channel. */
  readonly channel: string
}

/** What a worker tells the primary. */
export type ToPrimary =
  /** It wants what is kept, then what comes. */
  | ({ readonly sse: 'join' } & OfChannel)
  | ({ readonly sse: 'publish'; readonly events: readonly BackplaneEvent[] } & OfChannel)
  /** Answered by `caughtUp` with the same number, behind everything that was published before. */
  | ({ readonly sse: 'catchUp'; readonly question: number } & OfChannel)
  | ({ readonly sse: 'leave' } & OfChannel)

/** What the primary tells a worker. */
export type ToWorker =
  /** What was kept has been delivered. */
  | ({ readonly sse: 'joined' } & OfChannel)
  | ({ readonly sse: 'deliver'; readonly events: readonly DeliveredEvent[] } & OfChannel)
  | ({ readonly sse: 'caughtUp'; readonly question: number } & OfChannel)

/** Whether a message is one of these, and not one of the application or of others. */
export function isSseMessage(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'sse' in message && 'channel' in message
}

/** Gathers what comes in one turn of the event loop, so that it is passed on together. */
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

  /** Passes on what is there, now. */
  flush(): void {
    clearImmediate(this.#passing)
    this.#passing = undefined
    const items = this.#items
    this.#items = []
    if (items.length > 0) this.#pass(items)
  }
}
