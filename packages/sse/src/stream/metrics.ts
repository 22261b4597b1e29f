import { channel, type Channel } from 'node:diagnostics_channel'

/** Reason for the end of a stream. */
export type StreamEnd =
  /** `close()` was called, or the handler returned. */
  | 'closed'
  /** The client disconnected, or the handler threw. */
  | 'aborted'
  /** The client read too slowly or stalled. */
  | 'slow'
  /** The server or the channel closed. */
  | 'shutdown'
  /** The stream exceeded a channel limit. */
  | 'refused'

/** Messages on `node:diagnostics_channel`. */
export interface SseMetrics {
  /** `fw.sse.open`: a stream opened. */
  readonly open: {
    /** Protocol of the request, such as `HTTP/2.0`. */
    readonly protocol: string
    /** Number of open streams. */
    readonly open: number
  }
  /** `fw.sse.close`: a stream ended. */
  readonly close: {
    /** Reason for the end. */
    readonly reason: StreamEnd
    /** Number of blocks that the application sent. */
    readonly events: number
    /** Bytes sent, including heartbeats and `retry` blocks. */
    readonly bytes: number
    /** Number of streams that are still open. */
    readonly open: number
  }
  /** `fw.sse.broadcast`: a channel sent the events from one turn to its subscribers. */
  readonly broadcast: {
    /** Name of the channel. */
    readonly channel: string
    /** Number of events. */
    readonly events: number
    /** Bytes of the block with all events, which each subscriber receives. */
    readonly bytes: number
    /** Bytes from earlier writes that the subscribers have not read yet. */
    readonly bufferedBytes: number
    /** Number of subscribers. */
    readonly subscribers: number
  }
  /** `fw.sse.drop`: a channel discarded events for a subscriber that was reading too slowly. */
  readonly drop: {
    /** Name of the channel. */
    readonly channel: string
    /** Number of discarded events. */
    readonly events: number
  }
  /** `fw.sse.slow`: a subscriber's buffer is three quarters full. */
  readonly slow: {
    /** Name of the channel. */
    readonly channel: string
    /** Bytes that the subscriber has not read yet. */
    readonly bufferedBytes: number
  }
  /** `fw.sse.gap`: a subscriber missed events that the history no longer has. */
  readonly gap: {
    /** Name of the channel. */
    readonly channel: string
    /** The ID of the last event that the client received; `null` if it is unknown. */
    readonly lastEventId: string | null
  }
  /** `fw.sse.refuse`: a channel refused a subscriber because of a limit. */
  readonly refuse: {
    /** Name of the channel. */
    readonly channel: string
    /** Name of the option that limits the subscribers, such as `maxStreams`. */
    readonly limit: string
  }
}

type Channels = { readonly [Name in keyof SseMetrics]: Channel<unknown, SseMetrics[Name]> }

const names = ['open', 'close', 'broadcast', 'drop', 'slow', 'gap', 'refuse'] as const

/** The diagnostics channels. Create a message only if `hasSubscribers` is true. */
export const metrics: Channels = Object.fromEntries(
  names.map((name) => [name, channel(`fw.sse.${name}`)]),
) as unknown as Channels
