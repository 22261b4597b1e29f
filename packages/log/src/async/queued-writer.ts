import { fstatSync } from 'node:fs'
import { getSystemErrorMap } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { LogRecord } from '@fw/types'
import { Level } from '../level.ts'
import type { LineBuffer } from '../text/line-buffer.ts'
import { LineWriter } from '../lines/line-writer.ts'
import { guardExit, releaseExit } from './exit-guard.ts'
import { LineBatch } from './line-batch.ts'
import { Queue } from './queue.ts'
import { WORKER_SOURCE } from './worker-source.ts'
import type { WorkerInput } from './worker.ts'

/** The behavior when the queue is full: drop and count the record, or make the caller wait. */
export type Overflow = 'drop' | 'block'

/** Settings of asynchronous mode. */
export interface QueueSettings {
  /** The maximum time in milliseconds to collect lines for one write. */
  readonly flushIntervalMs: number
  /** The maximum number of records in the queue of one destination. */
  readonly maxQueueSize: number
  /** The behavior when the queue is full. */
  readonly overflow: Overflow
  /** Called for each failed write by the writer thread, and when the thread ends unexpectedly. */
  readonly onFailure: (error: Error) => void
}

/** The capacity of a queue. The system allocates memory only for pages that have been written. */
const QUEUE_BYTES = 8 * 1024 * 1024

/** The bytes of one batch. Each batch moves cache lines of the shared memory between cores. */
const BATCH = 8 * 1024

/** The maximum size of an atomic write to a pipe (PIPE_BUF on Linux). */
const PIPE_BYTES = 4096

/** The maximum size of a write to a file, which limits how long the write holds the lock. */
const FILE_BYTES = 256 * 1024

/** Batches above this size are committed at the end of an event-loop turn. Turns are short on a busy server. */
const TURN_BATCH = 2 * 1024

/** The longest delay of a line that is not the first in its millisecond. */
const TICK_MS = 1

/** The interval between two checks for room in the queue. */
const POLL_MS = 10

/** Writes lines to a file descriptor on another thread. */
// docs/decisions/0010
export class QueuedWriter {
  readonly #settings: QueueSettings
  readonly #describeDropped: (count: number) => string
  readonly #queue: Queue
  #fd: number
  #threadEnded = false
  #stopped = false
  /** Lines that are not yet in the queue. */
  readonly #batch = new LineBatch()
  #isTurnSet = false
  #isTickSet = false
  #pollTimer: NodeJS.Timeout | undefined
  #committedMs = 0
  #unreported = 0
  #seenFailures = 0
  #writesThrough = false

  /** @param describeDropped Returns the line that reports a number of dropped records */
  constructor(fd: number, settings: QueueSettings, describeDropped: (count: number) => string) {
    this.#fd = fd
    this.#settings = settings
    this.#describeDropped = describeDropped
    this.#queue = new Queue(fd, QUEUE_BYTES, fstatSync(fd).isFile() ? FILE_BYTES : PIPE_BYTES)
    this.#startThread()
    guardExit(this)
  }

  /** The number of records that are not yet written. */
  get queued(): number {
    this.#noteFailures()
    return this.#batch.lines + this.#queue.countRecords()
  }

  /**
   * Adds a line, which must end with a line break. @returns False if the line was dropped, because the queue is full
   * or a write failed
   */
  write(line: LineBuffer, record: Pick<LogRecord, 'timeMs' | 'level'>): boolean {
    if (line.length > BATCH) {
      if (line.length > this.#queue.capacity) return this.#writeAlone(line)
      this.#commit()
    }
    if (!this.#hasRoom(line.length, record)) return false
    this.#batch.add(line)
    this.#taken(record)
    return true
  }

  /** Like `write`, except that the line is text. See `LineBatch.addReady` */
  writeReady(start: string, message: string, record: Pick<LogRecord, 'timeMs' | 'level'>): boolean {
    if (!this.#hasRoom(start.length + message.length, record)) return false
    this.#batch.addReady(start, message)
    this.#taken(record)
    return true
  }

  /**
   * Reports whether a line fits. Waits for room if the overflow setting allows it. Counts a line that does not fit as dropped.
   */
  #hasRoom(length: number, { level }: Pick<LogRecord, 'level'>): boolean {
    if (this.#isFull(length) && !this.#makeRoom(length, level >= Level.Error)) {
      this.#unreported++
      this.#poll()
      return false
    }
    if (this.#unreported > 0) this.#reportDropped()
    return true
  }

  /** Commits the batch immediately or schedules the commit, after a line was added. */
  #taken({ timeMs }: Pick<LogRecord, 'timeMs'>): void {
    // Commit the first line of a millisecond immediately, so that it is not lost if the process hangs afterwards.
    if (this.#batch.length > BATCH || timeMs !== this.#committedMs) {
      this.#committedMs = timeMs
      this.#commit()
    } else if (this.#batch.length > TURN_BATCH && !this.#isTurnSet) {
      this.#isTurnSet = true
      setImmediate(this.#turnEnded)
    } else if (!this.#isTickSet) {
      this.#isTickSet = true
      // The exit guard flushes all lines, so the timer need not keep the process alive.
      setTimeout(this.#tick, TICK_MS).unref()
    }
    if (this.#writesThrough) this.flush()
  }

  /**
   * Writes all lines received so far to the operating system before it returns.
   *
   * @throws {Error} from `fs.writevSync`; unwritten lines are kept for the next attempt
   */
  flush(): void {
    if (this.#batch.lines === 0 && this.#unreported === 0 && this.#queue.isEmpty) return
    this.#commit()
    this.#queue.drained(() => {})
    this.#queue.countRecords()
    this.#reportDropped()
    if (this.#batch.lines === 0) return
    this.#commit()
    this.#queue.drained(() => {})
  }

  /** From now on, writes each line before the call returns, because no timer runs during exit. */
  writeThrough(): void {
    this.#writesThrough = true
  }

  /** Writes all received lines to the current file descriptor. Writes later lines to the descriptor that `open` returns. */
  switchTo(open: () => number): void {
    this.flush()
    this.#queue.drained(() => {
      this.#fd = open()
      this.#queue.fd = this.#fd
    })
  }

  /** Flushes and ends the thread, which then no longer uses the file descriptor. @throws {Error} like `flush` */
  stop(): void {
    if (this.#stopped) return
    this.#stopped = true
    try {
      this.flush()
    } finally {
      this.#queue.stop()
      clearTimeout(this.#pollTimer)
      releaseExit(this)
      this.#noteFailures()
    }
  }

  #startThread(): void {
    const workerData: WorkerInput = { ...this.#queue.ring, flushIntervalMs: this.#settings.flushIntervalMs }
    try {
      const thread = new Worker(WORKER_SOURCE, {
        eval: true,
        name: 'log writer',
        workerData,
        // This thread needs neither the application's preloaded modules nor its environment.
        execArgv: [],
        env: {},
        trackUnmanagedFds: false,
      })
      thread.unref()
      thread.on('error', (error: unknown) => this.#threadGone(String(error)))
      thread.on('exit', (code) => this.#threadGone(`exit code ${code}`))
    } catch (error) {
      // Node.js throws under --permission without --allow-worker.
      this.#threadGone(String(error))
    }
  }

  /** Writes later lines on the calling thread, still in batches. */
  #threadGone(reason: string): void {
    if (this.#threadEnded || this.#stopped) return
    this.#threadEnded = true
    this.#queue.threadEnded()
    this.#settings.onFailure(new WriterError(`writer thread ended (${reason}). The main thread now writes the lines`))
    this.#writeHere()
  }

  readonly #turnEnded = (): void => {
    this.#isTurnSet = false
    this.#commit()
  }

  readonly #tick = (): void => {
    this.#isTickSet = false
    this.#commit()
  }

  /** Moves the batch to the queue if the queue has room. */
  #commit(): void {
    if (this.#batch.lines > 0) {
      if (this.#queue.readerHasGone || this.#queue.push(this.#batch.encoded(), this.#batch.lines)) this.#batch.clear()
      else {
        this.#queue.wake()
        this.#poll()
      }
    }
    this.#noteFailures()
    if (this.#threadEnded) this.#writeHere()
  }

  #isFull(length: number): boolean {
    if (this.#batch.lines + this.#queue.recordsAtMost >= this.#settings.maxQueueSize) return true
    return this.#batch.length > BATCH || (this.#batch.lines > 0 && length > BATCH)
  }

  /** @returns Whether the line now fits */
  #makeRoom(length: number, urgent: boolean): boolean {
    this.#commit()
    this.#queue.countRecords()
    if (!this.#isFull(length)) return true
    this.#queue.wake()
    if (!urgent && this.#settings.overflow === 'drop') return false
    try {
      while (this.#isFull(length)) {
        this.#queue.writeSome()
        this.#commit()
        this.#queue.countRecords()
      }
      return true
    } catch (error) {
      // Do not wait for a failing disk, which may never recover.
      this.#settings.onFailure(error as Error)
      return false
    }
  }

  /** Writes a line that is longer than the queue. */
  #writeAlone(line: LineBuffer): boolean {
    try {
      this.flush()
      this.#queue.drained(() => new LineWriter(this.#fd).write(line))
      return true
    } catch (error) {
      this.#settings.onFailure(error as Error)
      return false
    }
  }

  #poll(): void {
    if (this.#pollTimer !== undefined || this.#stopped) return
    this.#pollTimer = setTimeout(() => {
      this.#pollTimer = undefined
      this.#commit()
      if (this.#unreported > 0 && this.queued <= this.#settings.maxQueueSize >> 1) {
        this.#reportDropped()
        this.#commit()
      }
      if (this.#unreported > 0 || this.#batch.lines > 0 || (this.#threadEnded && !this.#queue.isEmpty)) this.#poll()
    }, POLL_MS)
    // The exit guard flushes all lines, so the timer need not keep the process alive.
    this.#pollTimer.unref()
  }

  /** Adds the line that reports dropped records, if the queue is at most half full. */
  #reportDropped(): void {
    if (this.#unreported === 0 || this.#batch.lines + this.#queue.recordsAtMost > this.#settings.maxQueueSize >> 1)
      return
    // The sink has formatted and escaped this line.
    this.#batch.addReady(this.#describeDropped(this.#unreported), '')
    this.#unreported = 0
  }

  #writeHere(): void {
    try {
      this.#queue.writeWithoutWaiting()
    } catch (error) {
      this.#settings.onFailure(error as Error)
    }
    if (!this.#queue.isEmpty) this.#poll()
  }

  #noteFailures(): void {
    const { count, errno } = this.#queue.failures
    while (this.#seenFailures !== count) {
      this.#seenFailures++
      const [code, text] = getSystemErrorMap().get(errno) ?? [`error ${errno}`, '']
      this.#settings.onFailure(new WriterError(`${code}: ${text}, write`))
    }
  }
}

/**
 * Reports lines that the writer thread lost or cannot write. The log prints the error's message instead of throwing the error.
 */
class WriterError extends Error {}
