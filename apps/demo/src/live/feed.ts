import { SseChannel, type SseStream } from '@fw/sse'
import type {
  CountsMessage,
  FeedEvents,
  FleetMessage,
  RaceMessage,
  RequestMessage,
  SecondMessage,
  TrafficLevel,
} from './messages.ts'
import type { CollectorOutput } from './collector.ts'

/** Number of events kept for pages that reconnect: about those of the last minute. */
const KEPT_EVENTS = 900

/** Visitor name for requests that the demo sends to itself. */
const OWN_CLIENTS: ReadonlySet<string> = new Set(['demo', 'race'])

/**
 * The live feed: one event stream for each page.
 *
 * In public mode a visitor sees only their own requests individually. Other visitors' requests appear only in the
 * counts.
 */
export class Feed implements CollectorOutput {
  readonly #channel = new SseChannel<FeedEvents>({ name: 'feed', history: KEPT_EVENTS })
  readonly #isPublic: boolean
  #isClosed = false

  constructor(isPublic: boolean) {
    this.#isPublic = isPublic
  }

  /** The number of open pages. */
  get pages(): number {
    return this.#channel.stats.subscribers
  }

  /** Sends the welcome, then missed and new events to a page until it disconnects. */
  async follow(stream: SseStream<FeedEvents>, visitor: string, welcome: FeedEvents['welcome']): Promise<void> {
    await stream.sendJson('welcome', welcome)
    this.#channel.subscribe(stream, { filter: ({ key }) => key === undefined || key === visitor })
    await stream.closed
  }

  /** Returns the requests that a visitor can see. */
  visible(requests: readonly RequestMessage[], visitor: string): readonly RequestMessage[] {
    return this.#isPublic ? requests.filter(({ by }) => by === visitor) : requests
  }

  counts(message: CountsMessage): void {
    if (!this.#isClosed) this.#channel.publish('counts', message)
  }

  second(message: SecondMessage): void {
    if (!this.#isClosed) this.#channel.publish('second', message)
  }

  requests(messages: readonly RequestMessage[]): void {
    if (this.#isClosed) return
    if (!this.#isPublic) return this.#channel.publish('requests', messages)
    for (const [visitor, own] of Map.groupBy(messages, ({ by }) => by)) {
      // A request whose visitor is unknown is not sent to any page.
      if (visitor !== '' && !OWN_CLIENTS.has(visitor)) this.#channel.publish('requests', own, { key: visitor })
    }
  }

  traffic(level: TrafficLevel): void {
    if (!this.#isClosed) this.#channel.publish('traffic', { level })
  }

  fleet(message: FleetMessage): void {
    if (!this.#isClosed) this.#channel.publish('fleet', message)
  }

  race(message: RaceMessage): void {
    if (!this.#isClosed) this.#channel.publish('race', message)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#channel.close()
  }
}
