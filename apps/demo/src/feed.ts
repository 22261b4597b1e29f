import type { LogRecord, Sink } from '@fw/log'
import { SseChannel, type SseStream } from '@fw/sse'

/** What the page shows besides the log, once a tick. */
export interface Tick {
  readonly time: string
  readonly uptimeS: number
  readonly memoryMb: number
  readonly clients: number
}

/** The events of the feed; the empty name is that of anonymous ones. */
interface FeedEvents {
  '': string
  tick: Tick
}

/** Log messages that a page which was away gets when it comes back: as many as it shows. */
const KEPT_EVENTS = 200

/**
 * The live feed: every log message as an anonymous event, and a `tick` event at a steady pace.
 *
 * It is a log sink, so what a page sees is what the log has.
 */
export class Feed implements Sink {
  readonly #channel = new SseChannel<FeedEvents>({ name: 'feed', history: KEPT_EVENTS })
  readonly #timer: NodeJS.Timeout | undefined
  #isClosed = false

  /** @param tickMs Between two ticks; 0 for none */
  constructor(tickMs: number) {
    if (tickMs > 0) this.#timer = setInterval(() => this.#tick(), tickMs)
    this.#timer?.unref()
  }

  /** Sends events to a client until it leaves, first of all those it missed. */
  async follow(stream: SseStream<FeedEvents>): Promise<void> {
    await stream.comment('welcome')
    this.#channel.subscribe(stream)
    this.#tick()
    await stream.closed
  }

  write({ message }: LogRecord): void {
    if (!this.#isClosed) this.#channel.publish('', message)
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
