import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { FrameScanner, endsStream } from './frame-scanner.ts'

/**
 * A socket that notes which streams the server ended in order.
 *
 * `node:http2` shows a stream that was reset with NO_ERROR just as one that was complete; only the frames tell.
 */
export class WatchedSocket extends Duplex {
  /** Streams on which END_STREAM has arrived. */
  readonly endedStreams: Set<number> = new Set()
  readonly #socket: Socket

  /** @param socket Connected; nothing was read from it */
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
