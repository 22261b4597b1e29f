/** How streams tell the functions of `node:stream` that they are broken. */
const ERRORED = Symbol.for('nodejs.stream.errored')

/**
 * Cancels a stream that no caller reads any more. Never throws or rejects: the failure of a source to end reaches no caller
 * either.
 *
 * @param holder The stream itself, or the reader that has locked it
 */
export function cancelStream(
  stream: ReadableStream<Uint8Array>,
  holder: Pick<ReadableStream<Uint8Array>, 'cancel'>,
  reason: Error,
): void {
  // Node.js continues to fill the stream of a `FormData` after it was cancelled. That fails in an unhandled rejection, which
  // would end the process. It stops at a stream that says it is broken.
  Reflect.defineProperty(stream, ERRORED, { value: true, configurable: true })
  holder.cancel(reason).catch(() => {})
}
