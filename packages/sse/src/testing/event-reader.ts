import { createParser, type EventSourceParser } from 'eventsource-parser'

/** An event that an `EventSource` would dispatch. */
export interface ReceivedEvent {
  /** Name of the event; `message` if the event has no name. */
  readonly type: string
  /** The data, with its lines joined by LF. */
  readonly data: string
  /** The last ID that the stream set. */
  readonly lastEventId: string
}

/** Parses a stream piece by piece, like an `EventSource`. */
export class EventReader {
  /** Parsed events. Users can remove events from the front. */
  readonly events: ReceivedEvent[] = []
  /** Received comments, such as those of heartbeats. */
  readonly comments: string[] = []
  /** The ID that a client would send when it reconnects. */
  lastEventId = ''
  /** The received reconnection time, or `null`. */
  retryMs: number | null = null
  readonly #parser: EventSourceParser
  // The decoder must keep byte order marks, because `feed` removes the one that a stream can begin with.
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  #hasBegun = false

  constructor() {
    this.#parser = createParser({
      onId: (id) => (this.lastEventId = id),
      onRetry: (ms) => (this.retryMs = ms),
      onComment: (comment) => this.comments.push(comment),
      onEvent: ({ event, data }) => this.events.push({ type: event || 'message', data, lastEventId: this.lastEventId }),
    })
    // After an empty line, the parser no longer removes a byte order mark, so it cannot remove a second one.
    this.#parser.feed('\n')
  }

  /** Reads the next piece. Removes one byte order mark from the start of the stream, as the grammar of HTML §9.2.5 permits. */
  feed(chunk: Uint8Array | string): void {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true })
    if (text === '') return
    this.#parser.feed(!this.#hasBegun && text.startsWith('\uFEFF') ? text.slice(1) : text)
    this.#hasBegun = true
  }
}

/**
 * Parses a whole stream like an `EventSource`.
 *
 * @example
 * parseEvents('id: 1\ndata: a\n\n').events   // [{ type: 'message', data: 'a', lastEventId: '1' }]
 */
export function parseEvents(stream: Uint8Array | string): EventReader {
  const reader = new EventReader()
  reader.feed(stream)
  return reader
}
