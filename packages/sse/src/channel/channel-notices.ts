import type { ExceededLimit } from './admission.ts'
import type { Broadcast } from './broadcast.ts'
import type { ChannelOptions } from './channel-options.ts'
import type { SseStream } from '../stream/sse-stream.ts'
import { metrics } from '../stream/metrics.ts'
import { reportThrown } from '../stream/report.ts'

/** Reports channel events to the application's callbacks and to metrics. */
export class ChannelNotices<Events extends object> {
  readonly #channel: string
  readonly #options: ChannelOptions<Events>

  /**
   * @param channel The channel's name in metrics
   */
  constructor(channel: string, options: ChannelOptions<Events>) {
    this.#channel = channel
    this.#options = options
  }

  broadcast(given: Broadcast, subscribers: number): void {
    if (!metrics.broadcast.hasSubscribers) return
    metrics.broadcast.publish({ channel: this.#channel, ...given, subscribers })
  }

  refused(limit: ExceededLimit): void {
    if (metrics.refuse.hasSubscribers) metrics.refuse.publish({ channel: this.#channel, limit })
  }

  gap(stream: SseStream, lastEventId: string | null): void {
    if (metrics.gap.hasSubscribers) metrics.gap.publish({ channel: this.#channel, lastEventId })
    this.#tell('onGap', () => this.#options.onGap?.(asSubscribed(stream), { lastEventId }))
  }

  slow(stream: SseStream, bufferedBytes: number): void {
    if (metrics.slow.hasSubscribers) metrics.slow.publish({ channel: this.#channel, bufferedBytes })
    this.#tell('onSlow', () => this.#options.onSlow?.(asSubscribed(stream), { bufferedBytes }))
  }

  dropped(stream: SseStream, events: number): void {
    if (metrics.drop.hasSubscribers) metrics.drop.publish({ channel: this.#channel, events })
    this.#tell('onDrop', () => this.#options.onDrop?.(asSubscribed(stream), { events }))
  }

  #tell(callback: string, call: () => void): void {
    try {
      call()
    } catch (error) {
      reportThrown(`${callback} of an SseChannel`, error)
    }
  }
}

/** Restores the event types of a stream. Only streams of these types can subscribe. */
function asSubscribed<Events extends object>(stream: SseStream): SseStream<Events> {
  return stream as unknown as SseStream<Events>
}
