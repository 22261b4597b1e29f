import { fstatSync, write, writeSync } from 'node:fs'
import type { Readable } from 'node:stream'

/** What every system writes to a pipe in one piece, however many others write to it (POSIX.1 `PIPE_BUF` on Linux). */
const PIECE_BYTES = 4096
/** Unwritten bytes above which the processes have to wait. */
const MAX_QUEUED_BYTES = 1024 * 1024
/** A line above this is not waited for until its end. */
const MAX_LINE_BYTES = 1024 * 1024
/** Before a full pipe is tried again. */
const RETRY_MS = 5
/** Tries for a long line, so many milliseconds in all, for which the process does nothing else. */
const LINE_TRIES = 100 / RETRY_MS
/** Calls that wait; nobody reads what more of them would say. */
const MAX_WAITING = 1000
/** Tries at the exit of the process, so many milliseconds in all: then nobody seems to read. */
const EXIT_TRIES = 1000 / RETRY_MS

const LF = 0x0a
/** Never written to: waiting on it is the one way to sleep in synchronous code. */
const NAP = new Int32Array(new SharedArrayBuffer(4))

/**
 * Whether lines of several processes would be mixed there: pipes and sockets take long or many lines in pieces. Files
 * and terminals take each write as a whole.
 */
export function tearsLines(fd: number): boolean {
  try {
    const stats = fstatSync(fd)
    return stats.isFIFO() || stats.isSocket()
  } catch {
    // What is closed is not torn.
    return false
  }
}

/** Passes the output of several processes on to one descriptor, line by line. */
// docs/decisions/0081
export class LineRelay {
  readonly #fd: number
  readonly #sources = new Set<Readable>()
  /** Each of whole lines. */
  readonly #queue: Buffer[] = []
  #queuedBytes = 0
  #isWriting = false
  /** Whether it is no longer waited for the reader, until that has caught up: a long line may be torn then. */
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

  /** Takes lines from a stream until it ends. */
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
      // A process that was killed may have left half a line; the next one is not to be its end.
      if (line.length > 0) this.#push(Buffer.concat([...line, Buffer.of(LF)]))
      this.#sources.delete(source)
      this.#settle()
    })
    source.on('error', () => {
      // The stream closes, and there is nothing more to come.
    })
  }

  /** Resolves when every stream has ended and what they brought is written. */
  finished(): Promise<void> {
    const { promise } = this.#idle
    this.#settle()
    return promise
  }

  /** Calls back once all is written; never, if that comes to be given up. */
  whenFree(call: () => void): void {
    if (this.#isGivenUp) return
    if (this.#queue.length === 0) call()
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(call)
  }

  /** Drops what is not written yet and what comes: nobody seems to read. */
  giveUp(): void {
    this.#isGivenUp = this.#queue.length > 0
    this.#waiting = []
    for (const lines of this.#queue) this.#countDropped(lines)
    this.#drop()
  }

  /** Lines that were dropped since it was given up. */
  get droppedLines(): number {
    return this.#droppedLines
  }

  /** Writes a line at once, unless nobody seems to read. @returns Whether it was written */
  say(line: string): boolean {
    if (this.#isGivenUp) return false
    try {
      return writeSync(this.#fd, `${line}\n`) > 0
    } catch {
      // It is full or closed: somebody else may hear of it.
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
      // The whole of a longer line, before anything else of this process can be written.
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

  /** @param bytes Of the first in the queue. @returns Whether nothing of them is left */
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
    // A full disk, say: as for any log, these lines are lost and the next are tried.
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
