/** How a multipart body is read. */
export interface MultipartOptions {
  /** Largest number of parts, 100 unless given; over it the response is 413. */
  readonly maxParts?: number
}

/**
 * One part of a `multipart/form-data` body. Read it, or ask for the next one, which skips what is left. Its bytes, read as a
 * whole or slice by slice, are in memory that nothing else is in, so they can be transferred to a worker.
 */
export interface MultipartPart extends AsyncIterable<Uint8Array> {
  readonly name: string
  /** Name of a file as the client gave it: never a path to write to. `undefined` for a plain field. */
  readonly filename: string | undefined
  /** The type as the client gave it; `text/plain` without one. */
  readonly contentType: string
  /**
   * Reads all of the content.
   *
   * @throws {HttpError} 413 over the route's limit, 400 if the body is malformed
   * @throws an error with the name `AbortError` if the client goes away before the body is complete
   */
  bytes(): Promise<Uint8Array>
  /** All of the content as UTF-8. @throws as `bytes` */
  text(): Promise<string>
}
