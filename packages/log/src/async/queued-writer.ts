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

/** What a full queue does with one more record: drop and count it, or make the caller wait. */
export type Overflow = 'drop' | 'block'

/** How lines go through a writer thread. */
export interface QueueSettings {
  /** How long lines are gathered for one write. */
  readonly flushIntervalMs: number
  /** Most records in the queue of one destination. */
  readonly maxQueueSize: number
  readonly overflow: Overflow
  /** Told of each failed write of the writer thread, and of its death. */
  readonly onFailure: (error: Error) => void
}

/** Most encoded text in a queue. Memory that was never used costs nothing. */
const QUEUE_BYTES = 8 * 1024 * 1024

/** Bytes put in at once: each time takes the shared memory back from the other core. */
const BATCH = 8 * 1024

/** Up to so many bytes a write to a pipe is never mixed with others' (PIPE_BUF of Linux). */
const PIPE_BYTES = 4096

/** Bounds how long the lock is held for a write to a file. */
const FILE_BYTES = 256 * 1024

/** So many bytes go out when the turn of the event loop ends: fewer are not worth it, turns are short on a busy server. */
const TURN_BATCH = 2 * 1024

/** How long a line that is not the first of its millisecond may wait for others. */
const TICK_MS = 1

/** How soon to look again whether there is room. */
const POLL_MS = 10

/** Writes lines to a file descriptor from another thread. */
// docs/decisions/0010
export class QueuedWriter {
  readonly #settings: QueueSettings
  readonly #describeDropped: (count: number) => string
  readonly #queue: Queue
  #fd: number
  #threadEnded = false
  #stopped = false
  /** Lines not yet put in the queue. */
  readonly #batch = new LineBatch()
  #isTurnSet = false
  #isTickSet = false
  #pollTimer: NodeJS.Timeout | undefined
  #committedMs = 0
  #unreported = 0
  #seenFailures = 0
  #writesThrough = false

  /** @param describeDropped The line that reports so many dropped records */
  constructor(fd: number, settings: QueueSettings, describeDropped: (count: number) => string) {
    this.#fd = fd
    this.#settings = settings
    this.#describeDropped = describeDropped
    this.#queue = new Queue(fd, QUEUE_BYTES, fstatSync(fd).isFile() ? FILE_BYTES : PIPE_BYTES)
    this.#startThread()
    guardExit(this)
  }

  /** Records not yet written. */
  get queued(): number {
    this.#noteFailures()
    return this.#batch.lines + this.#queue.countRecords()
  }

  /** Takes a line with its line break. @returns False if it was dropped: the queue is full, and may not be waited for or cannot be written */
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

  /** As `write`, for a line that is there as text. See `LineBatch.addReady` */
  writeReady(start: string, message: string, record: Pick<LogRecord, 'timeMs' | 'level'>): boolean {
    if (!this.#hasRoom(start.length + message.length, record)) return false
    this.#batch.addReady(start, message)
    this.#taken(record)
    return true
  }

  /** Whether a line of such a length can be added; makes room if it may be waited for, and counts the line if not. */
  #hasRoom(length: number, { level }: Pick<LogRecord, 'level'>): boolean {
    if (this.#isFull(length) && !this.#makeRoom(length, level >= Level.Error)) {
      this.#unreported++
      this.#poll()
      return false
    }
    if (this.#unreported > 0) this.#reportDropped()
    return true
  }

  /** A line was added. */
  #taken({ timeMs }: Pick<LogRecord, 'timeMs'>): void {
    // The first line of a millisecond goes out at once: if the process hangs right after it, it is not lost.
    if (this.#batch.length > BATCH || timeMs !== this.#committedMs) {
      this.#committedMs = timeMs
      this.#commit()
    } else if (this.#batch.length > TURN_BATCH && !this.#isTurnSet) {
      this.#isTurnSet = true
      setImmediate(this.#turnEnded)
    } else if (!this.#isTickSet) {
      this.#isTickSet = true
      // At exit everything is flushed anyway.
      setTimeout(this.#tick, TICK_MS).unref()
    }
    if (this.#writesThrough) this.flush()
  }

  /**
   * Returns when everything taken so far has been handed to the operating system.
   *
   * @throws {Error} as of `fs.writevSync`; what was not written is kept for the next attempt
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

  /** From now on each line is written before the call returns: nothing runs after it that could do so. */
  writeThrough(): void {
    this.#writesThrough = true
  }

  /** Everything so far is written to the present file descriptor, what follows to the one that the action returns. */
  switchTo(open: () => number): void {
    this.flush()
    this.#queue.drained(() => {
      this.#fd = open()
      this.#queue.fd = this.#fd
    })
  }

  /** Flushes and ends the thread; the file descriptor is not used after this. @throws {Error} as `flush` */
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
        // Neither the application's preloads nor its environment concern this thread.
        execArgv: [],
        env: {},
        trackUnmanagedFds: false,
      })
      thread.unref()
      thread.on('error', (error: unknown) => this.#threadGone(String(error)))
      thread.on('exit', (code) => this.#threadGone(`exit code ${code}`))
    } catch (error) {
      // As under --permission without --allow-worker.
      this.#threadGone(String(error))
    }
  }

  /** Lines are written by this thread from now on, still in batches. */
  #threadGone(reason: string): void {
    if (this.#threadEnded || this.#stopped) return
    this.#threadEnded = true
    this.#queue.threadEnded()
    this.#settings.onFailure(new Error(`writer thread ended (${reason}), the main thread goes on writing`))
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

  /** Puts the batch into the queue, if there is room. */
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

  /** @returns Whether there is room for a line of such a length now */
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
      // A disk that fails is not waited for: that could be for ever.
      this.#settings.onFailure(error as Error)
      return false
    }
  }

  /** A line longer than the queue. */
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
    // At exit everything is flushed anyway.
    this.#pollTimer.unref()
  }

  /** Adds the line that reports what was dropped, once there is room for more than that. */
  #reportDropped(): void {
    if (this.#unreported === 0 || this.#batch.lines + this.#queue.recordsAtMost > this.#settings.maxQueueSize >> 1)
      return
    // A line as sinks make it: what may be escaped is, and what may have colours has them.
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
      this.#settings.onFailure(new Error(`${code}: ${text}, write`))
    }
  }
}
