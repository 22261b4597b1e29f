import { writeSync } from 'node:fs'

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
   * Writes a line and its line break; returns when the operating system has taken both. Waits where a pipe or
   * terminal is full. Has no effect once the reader of a pipe has gone.
   *
   * @throws {Error} as of `fs.writeSync`. The next line starts afresh even if part of this one was written.
   */
  write(line: string): void {
    if (this.#readerGone) return
    const text = this.#torn ? `\n${line}\n` : `${line}\n`
    const length = Buffer.byteLength(text)
    let at = 0
    try {
      // Text that the system takes in one piece, and so nearly all, needs no buffer.
      at = this.#attempt(() => writeSync(this.#fd, text))
      if (at < length) {
        const bytes = Buffer.from(text)
        while (at < length) at += this.#attempt(() => writeSync(this.#fd, bytes, at))
      }
      this.#torn = false
    } catch (error) {
      this.#torn ||= at > 0
      // Nobody will ever read what follows; saying so once is enough.
      this.#readerGone = (error as NodeJS.ErrnoException).code === 'EPIPE'
      throw error
    }
  }

  /** @returns Octets written */
  #attempt(write: () => number): number {
    try {
      return write()
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EAGAIN' && code !== 'EINTR') throw error
      if (code === 'EAGAIN') Atomics.wait(NAP, 0, 0, 1)
      return 0
    }
  }
}
