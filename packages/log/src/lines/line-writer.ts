import { writeSync } from 'node:fs'
import type { LineBuffer } from '../text/line-buffer.ts'

/** Never written to: waiting on it is the one way to sleep in synchronous code. */
const NAP = new Int32Array(new SharedArrayBuffer(4))

/** Writes whole lines to a file descriptor that it does not own, each in one system call where that succeeds. */
export class LineWriter {
  readonly #fd: number
  /** The last write ended within a line. */
  #torn = false
  #readerGone = false

  constructor(fd: number) {
    this.#fd = fd
  }

  /**
   * Writes a line; returns when the operating system has taken it. Waits where a pipe or terminal is full. Has no
   * effect once the reader of a pipe has gone.
   *
   * @param line With its line break
   * @throws {Error} as of `fs.writeSync`. The next line starts afresh even if part of this one was written.
   */
  write(line: Pick<LineBuffer, 'bytes' | 'length'>): void {
    if (this.#readerGone) return
    const bytes = this.#torn ? afterLineBreak(line) : line.bytes
    const length = this.#torn ? bytes.length : line.length
    let at = 0
    try {
      while (at < length) at += this.#attempt(bytes, at, length)
      this.#torn = false
    } catch (error) {
      this.#torn ||= at > 0
      // Nobody will ever read what follows; saying so once is enough.
      this.#readerGone = (error as NodeJS.ErrnoException).code === 'EPIPE'
      throw error
    }
  }

  /** @returns Bytes written */
  #attempt(bytes: Uint8Array, from: number, to: number): number {
    try {
      return writeSync(this.#fd, bytes, from, to - from, null)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EAGAIN' && code !== 'EINTR') throw error
      if (code === 'EAGAIN') Atomics.wait(NAP, 0, 0, 1)
      return 0
    }
  }
}

function afterLineBreak({ bytes, length }: Pick<LineBuffer, 'bytes' | 'length'>): Uint8Array {
  return Buffer.concat([Buffer.from('\n'), bytes.subarray(0, length)])
}
