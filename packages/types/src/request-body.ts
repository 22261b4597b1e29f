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
}
