import type { Context, ResponseHeaders } from './context.ts'

/**
 * Changes a response immediately before its head is sent. Runs once per request, for every response from a handler, middleware
 * or error handler: whole bodies, streams, files and error pages. It must not be asynchronous.
 *
 * @throws an error to respond with 500 instead. Filters do not run for that response
 */
export type ResponseFilter = (response: OutgoingResponse, ctx: Context) => void

/** A response that is about to be sent. */
export interface OutgoingResponse {
  /** The status, from 200 to 599. */
  status: number
  /** The header fields. */
  readonly headers: ResponseHeaders
  /**
   * The form of the body. `'none'`: the response has no body, as for a 304, or for a HEAD request whose handler sets none.
   * `'whole'`: the body is in memory. `'stream'`: the body follows in pieces, and may never end.
   */
  readonly kind: 'none' | 'whole' | 'stream'
  /** The body of kind `'whole'`; otherwise `null`. Do not change the bytes. */
  readonly whole: string | Uint8Array | null
  /**
   * The length of the body in bytes, if it is known. For HEAD, it is the length that GET sends. For a string body, each read
   * takes time proportional to its length.
   */
  readonly lengthBytes: number | undefined
  /**
   * Replaces the body.
   *
   * @throws {TypeError} if the kind is not `'whole'`
   */
  replace(body: string | Uint8Array | null): void
  /**
   * Replaces the body when the promise resolves. The head waits for it, and so do the filters that have not run yet. If
   * the promise rejects, the response is a 500. A response of the kind `'none'` can wait too, and stays empty if the promise
   * resolves to an empty body.
   *
   * @throws {TypeError} if the kind is `'stream'`, or `'none'` for a response that `startResponse()` sends
   */
  replaceLater(body: Promise<string | Uint8Array>): void
  /**
   * Sends the body through an encoder, piece by piece, and removes `content-length`. For filters that run later, the kind is
   * `'stream'`. For HEAD, only the fields change and no encoder is opened.
   *
   * @param open Creates the encoder, immediately before the head is sent
   * @throws {TypeError} if the kind is `'none'`
   */
  encode(open: () => BodyEncoder, options?: EncodeOptions): void
}

/** Options of `OutgoingResponse.encode`. */
export interface EncodeOptions {
  /** Flushes the encoder after each write, so that the client receives each piece immediately. Default false. */
  readonly flushEach?: boolean
}

/**
 * Encodes a body piece by piece. Calls do not overlap: each call waits until the promise of the previous one resolves. An error
 * aborts the response.
 */
export interface BodyEncoder {
  /** Encodes a piece. `push` sends encoded bytes; they must not change afterwards. */
  write(chunk: Uint8Array, push: PushBytes): void | Promise<void>
  /** Pushes everything written so far. */
  flush(push: PushBytes): void | Promise<void>
  /** Pushes the rest of the body. */
  end(push: PushBytes): void | Promise<void>
  /** Releases the encoder. Called instead of `end`, possibly while another call is in progress. */
  cancel(): void
}

/** Sends bytes of an encoded body. */
export type PushBytes = (bytes: Uint8Array) => void
