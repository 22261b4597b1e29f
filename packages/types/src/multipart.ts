/** Options of `ctx.parts()`. */
export interface MultipartOptions {
  /** Limits the number of parts; a request with more gets 413. Default 100. */
  readonly maxParts?: number
}

/**
 * One part of a `multipart/form-data` body. Reading the next part early skips the rest of this one. The buffers of its chunks
 * contain no other data, so they can be transferred to a worker.
 */
export interface MultipartPart extends AsyncIterable<Uint8Array> {
  /** The name of the form field. */
  readonly name: string
  /** The file name that the client sent; `undefined` for a plain field. Never use it as a path. */
  readonly filename: string | undefined
  /** The content type that the client sent. Default `text/plain`. */
  readonly contentType: string
  /**
   * Reads the whole part.
   *
   * @throws {HttpError} 413 if the body exceeds the route's limit, 400 if the body is malformed
   * @throws an error with the name `AbortError` if the client disconnects before the body is complete
   */
  bytes(): Promise<Uint8Array>
  /** Reads the whole part as UTF-8. @throws like `bytes` */
  text(): Promise<string>
}
