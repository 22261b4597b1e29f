import type { FieldList } from './fields.ts'

/** Receives the bytes of a request body as they arrive. The last call is either `end` or `error`. */
export interface BodyConsumer {
  /** Whether the consumer keeps all bytes until the end. If so, the server counts them as buffered. */
  readonly isCollecting?: boolean
  /**
   * Receives the next bytes.
   *
   * @param chunk Bytes that the consumer owns; never empty. Their buffer can contain other data, so copy them before a transfer
   */
  data(chunk: Uint8Array): void
  /**
   * Ends a complete body.
   *
   * @param trailers Trailer fields (RFC 9110 §6.5); empty if there are none
   */
  end(trailers: FieldList): void
  /** Called if the body remains incomplete: the client disconnected, violated the protocol or stalled. */
  error(error: Error): void
}

/** The body of a request. Nothing is read before `consume`. */
export interface RequestBody {
  /** The length in bytes that `Content-Length` announces; 0 without a body, `undefined` if it is not announced. */
  readonly length: number | undefined
  /**
   * Starts reading, once. Sends 100 (Continue) for `Expect: 100-continue`.
   *
   * @throws {TypeError} if the body is already being read
   */
  consume(consumer: BodyConsumer): void
  /** Stops reading until `resume`, so that the client stops sending. Buffered bytes can still arrive. */
  pause(): void
  /** Continues reading after `pause`. */
  resume(): void
  /**
   * Changes the number of bytes that were made from the body, such as decoded ones, and count as buffered for the client. The
   * caller subtracts what it added, even after the body has ended. Only the engines' bodies have it.
   */
  hold?(difference: number): void
}

/** The memory of one decoder. */
export interface DecoderMemory {
  /**
   * Sets the memory that the decoder uses, in bytes, which counts as buffered for the client until the body has been decoded.
   * Yielded pieces that a method collects count in addition.
   */
  set(bytes: number): void
}

/**
 * Decodes a request body. It is called when the body is first read, and yields bytes only as fast as the body is read.
 *
 * If the request ends early, the iteration over `encoded` throws, and the decoder's iterator is closed with `return()`. Release
 * resources in a `finally` block.
 *
 * @throws {HttpError} 415 for a coding that the decoder does not know, or 400 for malformed bytes. The read rejects with it
 */
export type BodyDecoder = (encoded: AsyncIterable<Uint8Array>, memory: DecoderMemory) => AsyncIterable<Uint8Array>
