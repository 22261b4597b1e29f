import type { Context, ProtocolText } from '@fw/types'

/** The content of a message: a string from a text message, bytes from a binary one. */
export type WebSocketMessage = string | Uint8Array

/** The end of a WebSocket connection. */
export interface WebSocketClose {
  /**
   * The status code from the client's Close frame (1005 if it has none); without that frame, the code that the server sent.
   * 1006 if neither side sent a Close frame.
   */
  readonly code: number
  /** The reason from the client's Close frame; empty if it has none. */
  readonly reason: string
  /** Whether both sides sent a Close frame. */
  readonly clean: boolean
}

/** The server's side of a WebSocket connection. */
export interface ServerWebSocket<C extends Context<object> = Context> extends AsyncIterable<WebSocketMessage> {
  /** The request that opened the connection. */
  readonly ctx: C
  /** The protocol version that carries the connection. */
  readonly transport: ProtocolText
  /** The selected subprotocol; empty if there is none. */
  readonly protocol: string
  /** Whether messages can be sent. */
  readonly isOpen: boolean
  /** The number of sent bytes that the transport has not accepted yet. */
  readonly bufferedBytes: number
  /** Aborts when the connection closes, or the client disconnects while messages are waiting. */
  readonly signal: AbortSignal
  /** Resolves when the connection has closed. Never rejects. */
  readonly closed: Promise<WebSocketClose>
  /** The messages as a stream. Read either the stream or the iterator. */
  readonly readable: ReadableStream<WebSocketMessage>
  /** Sends each chunk as a message. Closing the stream closes the connection with 1000; aborting it, with 1011. */
  readonly writable: WritableStream<WebSocketMessage>
  /**
   * Sends a text message for a string, or a binary message for bytes. Bytes are not copied: do not change them until the promise
   * has resolved.
   *
   * @returns A promise that resolves to true when the transport has room for the next message. False if the message was not sent,
   *   because the connection is closed or `slowConsumer` applies. Never rejects
   * @throws {TypeError} if `data` is neither a string nor a `Uint8Array`
   */
  send(data: WebSocketMessage): Promise<boolean>
  /**
   * Sends a Close frame and ends the connection when the client has responded, or after `closeTimeoutMs`. Messages that arrive
   * later are discarded. Further calls have no effect.
   *
   * @param code 1000 (default), 1001, 1003, 1007 to 1009, 1011 to 1014, or 3000 to 4999
   * @param reason At most 123 bytes in UTF-8. Default: none
   * @throws {RangeError} if the code or the length of the reason is out of range
   */
  close(code?: number, reason?: string): void
  /** Ends the connection immediately, without a Close frame. */
  terminate(): void
  /** Iterates over the messages. The client cannot send more while the loop does not ask for the next one. */
  [Symbol.asyncIterator](): AsyncIterableIterator<WebSocketMessage>
  /** Closes the connection with 1000 and waits until it has closed. */
  [Symbol.asyncDispose](): Promise<void>
}
