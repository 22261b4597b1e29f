import type { FieldList } from './fields.ts'

/** Takes the bytes of a request body as they arrive. Exactly one of `end` and `error` is called, last. */
export interface BodyConsumer {
  /** Whether everything is kept until the end has come, so that the server counts it as held for the client. */
  readonly isCollecting?: boolean
  /** @param chunk Belongs to the consumer from here on, but its memory may have others' bytes, too: copy it before it is transferred; never empty */
  data(chunk: Uint8Array): void
  /** @param trailers Trailer fields (RFC 9110 §6.5); empty when none were sent */
  end(trailers: FieldList): void
  /** The body will not be complete: the peer went away, broke the protocol or stalled. */
  error(error: Error): void
}

/** The content of a request, not read before somebody asks for it. */
export interface RequestBody {
  /** Bytes announced by `Content-Length`, 0 without a body, `undefined` when only the end will tell. */
  readonly length: number | undefined
  /**
   * Starts reading; may be called once. Answers `Expect: 100-continue`.
   *
   * @throws {TypeError} if the body is being read already
   */
  consume(consumer: BodyConsumer): void
  /** Lets no more than what is already buffered through until `resume`; the peer is slowed down. */
  pause(): void
  resume(): void
}
