/** Property by which the functions in `node:stream` recognize a failed web stream. */
const ERRORED = Symbol.for('nodejs.stream.errored')

/**
 * Cancels a stream that no caller will read. Never throws or rejects: errors from the source are ignored.
 *
 * @param holder The stream, or the reader that locks it
 */
export function cancelStream(
  stream: ReadableStream<Uint8Array>,
  holder: Pick<ReadableStream<Uint8Array>, 'cancel'>,
  reason: Error,
): void {
  // Node.js continues to fill the stream of a `FormData` after cancellation. That write fails with an unhandled
  // rejection, which would end the process. Node.js stops filling a stream that is marked as failed.
  Reflect.defineProperty(stream, ERRORED, { value: true, configurable: true })
  holder.cancel(reason).catch(() => {})
}
