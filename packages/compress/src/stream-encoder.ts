import type { Transform } from 'node:stream'
import type { BodyEncoder, PushBytes } from '@fw/types'

type Compressor = Transform & { flush(kind: number, done: () => void): void }

/**
 * Returns an encoder that sends a body through a Node.js compression stream.
 *
 * @param flushKind The `node:zlib` constant with which `flush` keeps the compressor's history
 */
export function streamEncoder(stream: Compressor, flushKind: number): BodyEncoder {
  let target: PushBytes | undefined
  let failed: ((error: Error) => void) | undefined
  stream.on('data', (bytes: Uint8Array) => target?.(bytes))
  // Without a listener, an error between two calls would end the process. The next call reports the error.
  stream.on('error', (error) => failed?.(error))

  /** Runs one call. The stream emits everything that the call produces before it calls `done`. */
  function run(push: PushBytes, call: (done: () => void) => void): Promise<void> {
    target = push
    return new Promise((resolve, reject) => {
      if (stream.errored) return reject(stream.errored)
      failed = reject
      call(resolve)
    })
  }

  return {
    write: (chunk, push) => run(push, (done) => void stream.write(chunk, (error) => !error && done())),
    flush: (push) => run(push, (done) => stream.flush(flushKind, done)),
    end: (push) => run(push, (done) => void stream.once('end', done).end()),
    cancel: () => void stream.destroy(),
  }
}
