import { createParser, type EventSourceParser } from 'eventsource-parser'

/** An event as an `EventSource` dispatches it. */
export interface ReceivedEvent {
  readonly type: string
  readonly data: string
  readonly lastEventId: string
}

/** What an `EventSource` makes of the text of a stream, fed piece by piece. */
export class EventReader {
  /** Events that nobody has taken yet. */
  readonly events: ReceivedEvent[] = []
  readonly comments: string[] = []
  /** The id it would send on reconnection. */
  lastEventId = ''
  /** The reconnection time it was told, or `null`. */
  retryMs: number | null = null
  readonly #parser: EventSourceParser
  readonly #decoder = new TextDecoder()

  constructor() {
    this.#parser = createParser({
      onId: (id) => (this.lastEventId = id),
      onRetry: (ms) => (this.retryMs = ms),
      onComment: (comment) => this.comments.push(comment),
      onEvent: ({ event, data }) => this.events.push({ type: event || 'message', data, lastEventId: this.lastEventId }),
    })
  }

  feed(chunk: Uint8Array | string): void {
    this.#parser.feed(typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true }))
  }
}

/**
 * What an `EventSource` makes of a whole stream.
 *
 * @example
 * parseEvents('id: 1\ndata: a\n\n').events   // [{ type: 'message', data: 'a', lastEventId: '1' }]
 */
export function parseEvents(stream: Uint8Array | string): EventReader {
  const reader = new EventReader()
  reader.feed(stream)
  return reader
}
