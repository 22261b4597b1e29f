import type { LogRecord, Sink } from '@fw/log'
import { SseChannel, type SseStream } from '@fw/sse'
import type { Visitors } from './visitors.ts'

/** The data that the page shows besides the log, sent with each tick. */
export interface Tick {
  readonly time: string
  readonly uptimeS: number
  readonly memoryMb: number
  readonly clients: number
}

/** The events of the feed. The empty name is that of anonymous events. */
interface FeedEvents {
  '': string
  tick: Tick
}

/** The events of all visitors that are kept for pages that reconnect. A page shows 200 of its own. */
const KEPT_EVENTS = 2000

/**
 * The live feed: the log messages about the requests of a visitor as anonymous events, and regular `tick` events.
 *
 * It is a log sink, so a page shows the content of the log. It shows no visitor the requests of another one. It also
 * omits records of the server, which can contain addresses.
 */
export class Feed implements Sink {
  readonly #channel = new SseChannel<FeedEvents>({ name: 'feed', history: KEPT_EVENTS })
  readonly #timer: NodeJS.Timeout | undefined
  readonly #visitors: Pick<Visitors, 'current'>
  #isClosed = false

  /**
   * @param tickMs The milliseconds between two ticks; 0 sends none
   * @param visitors Knows the visitor whose request a message is about
   */
  constructor(tickMs: number, visitors: Pick<Visitors, 'current'> = { current: undefined }) {
    this.#visitors = visitors
    if (tickMs > 0) this.#timer = setInterval(() => this.#tick(), tickMs)
    this.#timer?.unref()
  }

  /** Sends missed and new events of a visitor to a client until it disconnects. */
  async follow(stream: SseStream<FeedEvents>, visitor?: string): Promise<void> {
    await stream.comment('welcome')
    this.#channel.subscribe(stream, { filter: ({ event, key }) => event === 'tick' || key === visitor })
    this.#tick()
    await stream.closed
  }

  write({ message, fields }: LogRecord): void {
    if (this.#isClosed) return
    // The library logs in the context of any request, for example from a timer that one of them started.
    const visitor = fields?.['component'] === '@fw/core' ? undefined : this.#visitors.current
    this.#channel.publish('', message, { key: visitor })
  }

  flush(): void {}

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#isClosed = true
    await this.#channel.close()
  }

  #tick(): void {
    if (this.#isClosed) return
    this.#channel.publish('tick', {
      time: new Date().toISOString(),
      uptimeS: Math.round(process.uptime()),
      memoryMb: Math.round(process.memoryUsage.rss() / 2 ** 20),
      clients: this.#channel.stats.subscribers,
    })
  }
}
