import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { FrameScanner, endsStream } from './frame-scanner.ts'

/**
 * Socket that records the streams that the server ended with END_STREAM.
 *
 * `node:http2` reports a stream that was reset with NO_ERROR as complete. Only the frames show the difference.
 */
export class WatchedSocket extends Duplex {
  /** Identifiers of the streams on which END_STREAM has arrived. */
  readonly endedStreams: Set<number> = new Set()
  readonly #socket: Socket

  /** @param socket Connected and unread */
  constructor(socket: Socket) {
    super({ allowHalfOpen: false })
    this.#socket = socket
    const scanner = new FrameScanner((frame) => {
      if (endsStream(frame)) this.endedStreams.add(frame.streamId)
    })
    socket.pause()
    socket.on('data', (slice: Buffer) => {
      scanner.scan(slice)
      if (!this.push(slice)) socket.pause()
    })
    socket.on('end', () => this.push(null))
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.destroy())
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(slice: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(slice, done)
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}
