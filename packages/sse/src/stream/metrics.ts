import { channel, type Channel } from 'node:diagnostics_channel'

/** Why a stream ended. */
export type StreamEnd =
  /** `close()` was called, or the handler returned. */
  | 'closed'
  /** The client went away, or the handler threw. */
  | 'aborted'
  /** The client read too slowly, or nothing for too long. */
  | 'slow'
  /** The server or the channel closes. */
  | 'shutdown'
  /** There were too many streams. */
  | 'refused'

/** What each message of `node:diagnostics_channel` tells. */
export interface SseMetrics {
  /** `fw.sse.open`: a stream was opened. `open` streams there are now. */
  readonly open: { readonly protocol: string; readonly open: number }
  /**
   * `fw.sse.close`: a stream ended, after so many blocks (events, comments) of the application, and bytes: those of its
   * blocks, heartbeats and the time to come back after.
   */
  readonly close: {
    readonly reason: StreamEnd
    readonly events: number
    readonly bytes: number
    readonly open: number
  }
  /**
   * `fw.sse.broadcast`: a channel gave the events of one turn, `bytes` in all, to its subscribers. Of earlier writes to
   * these `bufferedBytes` had not been taken.
   */
  readonly broadcast: {
    readonly channel: string
    readonly events: number
    readonly bytes: number
    readonly bufferedBytes: number
    readonly subscribers: number
  }
  /** `fw.sse.drop`: events were left out for a subscriber that reads too slowly. */
  readonly drop: { readonly channel: string; readonly events: number }
  /** `fw.sse.slow`: the buffer of a subscriber is three quarters full. */
  readonly slow: { readonly channel: string; readonly bufferedBytes: number }
  /** `fw.sse.gap`: a subscriber missed events that are no longer kept. */
  readonly gap: { readonly channel: string; readonly lastEventId: string | null }
  /** `fw.sse.refuse`: a subscriber was sent away because of a limit. */
  readonly refuse: { readonly channel: string; readonly limit: string }
}

type Channels = { readonly [Name in keyof SseMetrics]: Channel<unknown, SseMetrics[Name]> }

const names = ['open', 'close', 'broadcast', 'drop', 'slow', 'gap', 'refuse'] as const

/** The channels; a message is made only if `hasSubscribers`. */
export const metrics: Channels = Object.fromEntries(
  names.map((name) => [name, channel(`fw.sse.${name}`)]),
) as unknown as Channels
