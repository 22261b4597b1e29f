import { EventReader, type ReceivedEvent } from './event-reader.ts'

/** An object that answers requests: a `Server`, an `App`, or `{ fetch }` for a remote server. */
export interface Fetcher {
  /** Sends a request and resolves with its response. */
  fetch(input: string, init?: RequestInit): Promise<Response>
}

/**
 * Reads event streams in tests. Parses like an `EventSource`, but returns one event at a time and reconnects only on
 * `reconnect()`.
 *
 * @example
 * await using client = await EventClient.connect(server, '/orders')
 * orders.publish('order', 'first')
 * expect(await client.next()).toMatchObject({ type: 'order', data: 'first' })
 */
export class EventClient implements AsyncDisposable {
  readonly #fetcher: Fetcher
  readonly #target: string
  readonly #init: RequestInit
  #connection: Connection

  private constructor(fetcher: Fetcher, target: string, init: RequestInit, connection: Connection) {
    this.#fetcher = fetcher
    this.#target = target
    this.#init = init
    this.#connection = connection
  }

  /**
   * Requests a stream. Resolves when the response head has arrived.
   *
   * @param init Options for `fetch`. A `last-event-id` header field requests missed events
   * @throws {Error} if the response is not an event stream
   */
  static async connect(fetcher: Fetcher, target: string, init: RequestInit = {}): Promise<EventClient> {
    const lastEventId = new Headers(init.headers).get('last-event-id') ?? ''
    return new EventClient(fetcher, target, init, await connect(fetcher, target, init, lastEventId))
  }

  /** The response on the current connection. */
  get response(): Response {
    return this.#connection.response
  }

  /** The ID that `reconnect` sends. */
  get lastEventId(): string {
    return this.#connection.reader.lastEventId
  }

  /** The reconnection time that the server sent, or `null`. */
  get retryMs(): number | null {
    return this.#connection.reader.retryMs
  }

  /** Comments received on this connection, including heartbeats. */
  get comments(): readonly string[] {
    return this.#connection.reader.comments
  }

  /** Returns the next event; `undefined` after the end of the stream. @throws if the stream was aborted */
  async next(): Promise<ReceivedEvent | undefined> {
    const { reader, body } = this.#connection
    while (reader.events.length === 0) {
      const { done, value } = await body.read()
      if (done) return undefined
      reader.feed(value)
    }
    return reader.events.shift()
  }

  /** Returns the next `count` events, or fewer if the stream ends. @throws like `next` */
  async take(count: number): Promise<ReceivedEvent[]> {
    const events: ReceivedEvent[] = []
    while (events.length < count) {
      const event = await this.next()
      if (event === undefined) break
      events.push(event)
    }
    return events
  }

  /**
   * Closes the connection and opens a new one that requests the events after the last received one. @throws like
   * `connect`
   */
  async reconnect(): Promise<void> {
    const { lastEventId } = this
    await this.close()
    this.#connection = await connect(this.#fetcher, this.#target, this.#init, lastEventId)
  }

  /** Closes the connection. */
  async close(): Promise<void> {
    // The server may already have aborted the stream.
    await this.#connection.body.cancel().catch(() => {})
  }

  /** Closes the connection at the end of an `await using` scope. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

interface Connection {
  /** The response with the stream as its body. */
  readonly response: Response
  /** Reader of the body's bytes. */
  readonly body: ReadableStreamDefaultReader<Uint8Array>
  /** Parser of the bytes. */
  readonly reader: EventReader
}

async function connect(fetcher: Fetcher, target: string, init: RequestInit, lastEventId: string): Promise<Connection> {
  const headers = new Headers(init.headers)
  if (!headers.has('accept')) headers.set('accept', 'text/event-stream')
  // Header values are bytes, and EventSource sends the ID as UTF-8.
  if (lastEventId === '') headers.delete('last-event-id')
  else if (lastEventId !== headers.get('last-event-id')) {
    headers.set('last-event-id', Buffer.from(lastEventId).toString('latin1'))
  }
  const response = await fetcher.fetch(target, { ...init, headers })
  const type = response.headers.get('content-type')
  if (response.status !== 200 || type?.startsWith('text/event-stream') !== true || response.body === null) {
    await response.body?.cancel()
    throw new Error(`Cannot read events: the response is ${response.status} ${type ?? 'without a content type'}`)
  }
  const reader = new EventReader()
  reader.lastEventId = lastEventId
  return { response, body: response.body.getReader(), reader }
}
