/** Start of every delimiter between parts (RFC 2046 §5.1.1). */
const DELIMITER_START = '\r\n--'
/**
 * Maximum number of possible delimiters in a slice. The parser finishes a slice even after it has failed, and spends up to
 * 20 µs on each part. A slice of 64 KiB can have 13,000 delimiters, which would block the event loop for 200 ms.
 */
const MAX_DELIMITERS = 16

/**
 * Divides the bytes of a multipart body into slices of at most 16 possible delimiters. Bytes without delimiters, such
 * as those of a large file, stay whole.
 */
export function* multipartSlices(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let start = 0
  let delimiters = 0
  for (let at = view.indexOf(DELIMITER_START); at >= 0; at = view.indexOf(DELIMITER_START, at + 1)) {
    if (++delimiters <= MAX_DELIMITERS) continue
    yield view.subarray(start, at)
    start = at
    delimiters = 1
  }
  yield view.subarray(start)
}
