import { fstatSync, write, writeSync } from 'node:fs'
import type { Readable } from 'node:stream'

/**
 * Maximum number of bytes that a pipe accepts as one piece, even with several writers (`PIPE_BUF` in POSIX.1, on
 * Linux).
 */
const PIECE_BYTES = 4096
/** Unwritten bytes above which the sources are paused. */
const MAX_QUEUED_BYTES = 1024 * 1024
/** Maximum bytes of a line that are collected before its end arrives. */
const MAX_LINE_BYTES = 1024 * 1024
/** Milliseconds before the next attempt to write to a full pipe. */
const RETRY_MS = 5
/** Number of attempts for a long line, which block this process for 100 ms in total. */
const LINE_TRIES = 100 / RETRY_MS
/** Maximum number of waiting callbacks. Further ones are dropped. */
const MAX_WAITING = 1000
/**
 * Number of attempts when the process exits, 1,000 ms in total. After that, the output is treated as having no reader.
 */
const EXIT_TRIES = 1000 / RETRY_MS

const LF = 0x0a
/** Memory that is never written. `Atomics.wait` on it is the only way to sleep in synchronous code. */
const NAP = new Int32Array(new SharedArrayBuffer(4))

/**
 * Reports whether lines from several processes could be mixed, because pipes and sockets split long writes. Files and
 * terminals accept each write as a whole.
 */
export function tearsLines(fd: number): boolean {
  try {
    const stats = fstatSync(fd)
    return stats.isFIFO() || stats.isSocket()
  } catch {
    // A closed descriptor receives no lines.
    return false
  }
}

/** Forwards the output of several processes to one descriptor, line by line. */
// docs/decisions/0081
export class LineRelay {
  readonly #fd: number
  readonly #sources = new Set<Readable>()
  /** Buffers of whole lines. */
  readonly #queue: Buffer[] = []
  #queuedBytes = 0
  #isWriting = false
  /**
   * Whether the relay has stopped waiting for the reader, because the reader is too slow. Long lines can be split
   * until the reader catches up.
   */
  #isSlow = false
  #readerGone = false
  #isGivenUp = false
  #droppedLines = 0
  #waiting: (() => void)[] = []
  #idle = Promise.withResolvers<void>()
  readonly #onExit = (): void => this.#writeAtExit()

  constructor(fd: number) {
    this.#fd = fd
  }

  /** Forwards a stream's lines until the stream ends. */
  add(source: Readable): void {
    if (this.#sources.size === 0) process.on('exit', this.#onExit)
    this.#sources.add(source)
    let line: Buffer[] = []
    let lineBytes = 0
    source.on('data', (chunk: Buffer) => {
      const isEndless = lineBytes + chunk.byteLength > MAX_LINE_BYTES
      const end = isEndless ? chunk.byteLength : chunk.lastIndexOf(LF) + 1
      if (end > 0) {
        this.#push(Buffer.concat([...line, chunk.subarray(0, end)]))
        line = []
        lineBytes = 0
      }
      if (end === chunk.byteLength) return
      line.push(chunk.subarray(end))
      lineBytes += chunk.byteLength - end
    })
    source.once('close', () => {
      // A killed process can leave an incomplete line. Add a line break, so that the next line is separate.
      if (line.length > 0) this.#push(Buffer.concat([...line, Buffer.of(LF)]))
      this.#sources.delete(source)
      this.#settle()
    })
    source.on('error', () => {
      // The stream can close without emitting `end`.
    })
  }

  /** Resolves when all streams have ended and all lines have been written. */
  finished(): Promise<void> {
    const { promise } = this.#idle
    this.#settle()
    return promise
  }

  /** Calls `call` when all lines have been written, but never if the relay gives up first. */
  whenFree(call: () => void): void {
    if (this.#isGivenUp) return
    if (this.#queue.length === 0) call()
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(call)
  }

  /** Drops the unwritten lines and all later ones, because the output has no reader. */
  giveUp(): void {
    this.#isGivenUp = this.#queue.length > 0
    this.#waiting = []
    for (const lines of this.#queue) this.#countDropped(lines)
    this.#drop()
  }

  /** Number of lines dropped after `giveUp`. */
  get droppedLines(): number {
    return this.#droppedLines
  }

  /** Writes a line immediately, unless the relay has given up. Returns whether it was written. */
  say(line: string): boolean {
    if (this.#isGivenUp) return false
    try {
      return writeSync(this.#fd, `${line}\n`) > 0
    } catch {
      // The pipe is full or closed. The caller can use another descriptor.
      return false
    }
  }

  #countDropped(lines: Buffer): void {
    for (let at = lines.indexOf(LF); at !== -1; at = lines.indexOf(LF, at + 1)) this.#droppedLines++
  }

  #drop(): void {
    this.#readerGone = true
    this.#queue.length = 0
    this.#queuedBytes = 0
    for (const source of this.#sources) source.resume()
  }

  #push(lines: Buffer): void {
    if (this.#isGivenUp) this.#countDropped(lines)
    if (this.#readerGone) return
    this.#queue.push(lines)
    this.#queuedBytes += lines.byteLength
    if (this.#queuedBytes > MAX_QUEUED_BYTES) for (const source of this.#sources) source.pause()
    if (!this.#isWriting) this.#writeNext()
  }

  #writeNext(): void {
    const [lines] = this.#queue
    this.#isWriting = lines !== undefined
    if (lines === undefined) {
      this.#isSlow = false
      this.#callWaiting()
      this.#settle()
      return
    }
    const wholeBytes = lines.lastIndexOf(LF, PIECE_BYTES - 1) + 1
    if (wholeBytes === 0 && !this.#isSlow) {
      // Write the whole long line before this process can write anything else.
      this.#isSlow = !this.#writeNow(lines.indexOf(LF) + 1 || lines.byteLength, LINE_TRIES)
      setImmediate(() => this.#writeNext())
      return
    }
    const pieceBytes = wholeBytes || Math.min(lines.byteLength, PIECE_BYTES)
    write(this.#fd, lines, 0, pieceBytes, null, (error, written) => {
      if (error === null) this.#written(written)
      else if (error.code !== 'EAGAIN') this.#failed(error, pieceBytes)
      if (error?.code === 'EAGAIN') setTimeout(() => this.#writeNext(), RETRY_MS)
      else this.#writeNext()
    })
  }

  #callWaiting(): void {
    const calls = this.#waiting
    this.#waiting = []
    for (const call of calls) call()
  }

  /** Synchronously writes bytes of the first buffer in the queue. Returns whether all of them were written. */
  #writeNow(bytes: number, tries: number): boolean {
    let left = bytes
    let triesLeft = tries
    while (left > 0 && triesLeft > 0) {
      const [lines] = this.#queue
      if (lines === undefined) return true
      try {
        const written = writeSync(this.#fd, lines, 0, left)
        this.#written(written)
        left -= written
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code !== 'EAGAIN' && code !== 'EINTR') {
          this.#failed(error as NodeJS.ErrnoException, left)
          return true
        }
        triesLeft--
        Atomics.wait(NAP, 0, 0, RETRY_MS)
      }
    }
    return left === 0
  }

  #written(bytes: number): void {
    const [lines] = this.#queue
    if (lines === undefined) return
    this.#queuedBytes -= bytes
    if (bytes === lines.byteLength) this.#queue.shift()
    else this.#queue[0] = lines.subarray(bytes)
    if (this.#queuedBytes <= MAX_QUEUED_BYTES) for (const source of this.#sources) source.resume()
  }

  #failed(error: NodeJS.ErrnoException, bytes: number): void {
    if (error.code === 'EPIPE') {
      this.#drop()
      this.#callWaiting()
      return
    }
    // The disk might be full. Drop these lines and continue with the next ones, as a log sink does.
    this.#written(bytes)
  }

  #writeAtExit(): void {
    for (let lines = this.#queue[0]; lines !== undefined; lines = this.#queue[0]) {
      const before = this.#queuedBytes
      this.#writeNow(lines.byteLength, EXIT_TRIES)
      if (this.#queuedBytes === before) return
    }
  }

  #settle(): void {
    if (this.#sources.size > 0 || this.#isWriting) return
    process.off('exit', this.#onExit)
    this.#idle.resolve()
    this.#idle = Promise.withResolvers()
  }
}
