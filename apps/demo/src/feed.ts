import type { LogRecord, Sink } from '@fw/log'
import type { SseStream } from '@fw/sse'

/** What the page shows besides the log, once a tick. */
export interface Tick {
  readonly time: string
  readonly uptimeS: number
  readonly memoryMb: number
  readonly clients: number
}

/**
 * The live feed: every log message as an anonymous event, and a `tick` event at a steady pace.
 *
 * It is a log sink, so what a page sees is what the log has.
 */
export class Feed implements Sink {
  readonly #streams = new Set<SseStream>()
  readonly #timer: NodeJS.Timeout | undefined

  /** @param tickMs Between two ticks; 0 for none */
  constructor(tickMs: number) {
    if (tickMs > 0) this.#timer = setInterval(() => this.#tick(), tickMs)
    this.#timer?.unref()
  }

  /** Sends events to a client until it leaves. */
  async follow(stream: SseStream): Promise<void> {
    this.#streams.add(stream)
    await stream.comment('welcome')
    this.#tick()
    await new Promise<void>((resolve) => stream.signal.addEventListener('abort', () => resolve(), { once: true }))
    this.#streams.delete(stream)
  }

  write({ message }: LogRecord): void {
    for (const stream of this.#streams) void stream.data(message)
  }

  flush(): void {}

  close(): void {
    clearInterval(this.#timer)
    for (const stream of this.#streams) stream.close()
  }

  #tick(): void {
    const tick: Tick = {
      time: new Date().toISOString(),
      uptimeS: Math.round(process.uptime()),
      memoryMb: Math.round(process.memoryUsage.rss() / 2 ** 20),
      clients: this.#streams.size,
    }
    for (const stream of this.#streams) void stream.sendJson('tick', tick)
  }
}
