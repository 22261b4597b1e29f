import { channel, type Channel } from 'node:diagnostics_channel'

/** Reason for the end of a stream. */
export type StreamEnd =
  /** `close()` was called, or the handler returned. */
  | 'closed'
  /** The client disconnected, or the handler threw. */
  | 'aborted'
  /** The client read too slowly or stalled. */
  | 'slow'
  /** The server or the channel closes. */
  | 'shutdown'
  /** The stream exceeded a limit of the channel. */
  | 'refused'

/** Messages of `node:diagnostics_channel`. */
export interface SseMetrics {
  /** `fw.sse.open`: a stream opened. `open` is the number of streams now open. */
  readonly open: { readonly protocol: string; readonly open: number }
  /**
   * `fw.sse.close`: a stream ended. `events` counts the blocks that the application sent; `bytes` also includes heartbeats
   * and `retry` blocks.
   */
  readonly close: {
    readonly reason: StreamEnd
    readonly events: number
    readonly bytes: number
    readonly open: number
  }
  /**
   * `fw.sse.broadcast`: a channel sent the events of one turn, `bytes` in total, to its subscribers. `bufferedBytes` is the
   * sum of the bytes of earlier writes that still waited for them.
   */
  readonly broadcast: {
    readonly channel: string
    readonly events: number
    readonly bytes: number
    readonly bufferedBytes: number
    readonly subscribers: number
  }
  /** `fw.sse.drop`: a channel discarded events for a subscriber that reads too slowly. */
  readonly drop: { readonly channel: string; readonly events: number }
  /** `fw.sse.slow`: the buffer of a subscriber is three quarters full. */
  readonly slow: { readonly channel: string; readonly bufferedBytes: number }
  /** `fw.sse.gap`: a subscriber missed events that the history no longer has. */
  readonly gap: { readonly channel: string; readonly lastEventId: string | null }
  /** `fw.sse.refuse`: a channel refused a subscriber because of a limit. */
  readonly refuse: { readonly channel: string; readonly limit: string }
}

type Channels = { readonly [Name in keyof SseMetrics]: Channel<unknown, SseMetrics[Name]> }

const names = ['open', 'close', 'broadcast', 'drop', 'slow', 'gap', 'refuse'] as const

/** The diagnostics channels. Create a message only if `hasSubscribers`. */
export const metrics: Channels = Object.fromEntries(
  names.map((name) => [name, channel(`fw.sse.${name}`)]),
) as unknown as Channels
