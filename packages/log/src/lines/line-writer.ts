import { writeSync } from 'node:fs'
import type { LineBuffer } from '../text/line-buffer.ts'

/** Memory that is never written. Waiting on it is the only way to sleep in synchronous code. */
const NAP = new Int32Array(new SharedArrayBuffer(4))

/** Writes complete lines to a file descriptor that it does not own. Uses one system call for each line if possible. */
export class LineWriter {
  readonly #fd: number
  /** Whether the last write ended within a line. */
  #torn = false
  #readerGone = false

  constructor(fd: number) {
    this.#fd = fd
  }

  /**
   * Writes a line. Returns after the operating system has accepted the line. Waits while a pipe or terminal is full. Has no
   * effect after the reader of a pipe has closed it.
   *
   * @param line The line with its line break
   * @throws {Error} from `fs.writeSync`. If a part of the line was written, the next one begins with a line break
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
      // This pipe can never be read again. Report one error, and skip later lines.
      this.#readerGone = (error as NodeJS.ErrnoException).code === 'EPIPE'
      throw error
    }
  }

  /** @returns The number of bytes written */
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
