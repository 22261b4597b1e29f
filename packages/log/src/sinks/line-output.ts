import type { LogRecord } from '@fw/types'
import { QueuedWriter, type QueueSettings } from '../async/queued-writer.ts'
import type { SinkAbilities } from './log-sink.ts'
import { LineBuffer } from '../text/line-buffer.ts'
import { LineWriter } from '../lines/line-writer.ts'

/** Writes a sink's lines to a file descriptor, directly or through a writer thread. */
export class LineOutput {
  readonly #describeDropped: (count: number) => string
  readonly #line = new LineBuffer()
  #fd: number
  #writer: LineWriter
  #queue: QueuedWriter | undefined
  #closed = false

  /** @param describeDropped Returns the line that reports a number of dropped records */
  constructor(fd: number, describeDropped: (count: number) => string) {
    this.#fd = fd
    this.#writer = new LineWriter(fd)
    this.#describeDropped = describeDropped
  }

  /** Returns the abilities of a sink that writes only to this output. */
  abilities(usesLocation: boolean, writeCall?: SinkAbilities['writeCall']): SinkAbilities {
    return {
      usesLocation,
      queued: () => this.#queue?.queued ?? 0,
      useQueue: (settings) => {
        if (!this.#closed) this.#useQueue(settings)
      },
      writeCall,
    }
  }

  /** Flushes and ends the writer thread permanently. Does not close the file. @throws {Error} like `flush` */
  close(): void {
    this.#closed = true
    this.#useQueue(undefined)
  }

  /**
   * Starts a writer thread, or ends it if `settings` is `undefined`.
   *
   * @throws {Error} if the queued lines of an ended thread cannot be written
   */
  #useQueue(settings: QueueSettings | undefined): void {
    const previous = this.#queue
    this.#queue = undefined
    previous?.stop()
    if (settings !== undefined) this.#queue = new QueuedWriter(this.#fd, settings, this.#describeDropped)
  }

  /** Returns a line in UTF-8 with its line break. Valid until the next call. */
  encode(line: string): LineBuffer {
    this.#line.rewind(0)
    this.#line.addText(line)
    this.#line.addLineBreak()
    return this.#line
  }

  /**
   * Writes a line.
   *
   * @param line The line with its line break
   * @returns False if the line was dropped because the queue is full
   * @throws {Error} from `fs.writeSync`, without a queue
   */
  write(line: LineBuffer, record: Pick<LogRecord, 'timeMs' | 'level'>): boolean {
    if (this.#queue !== undefined) return this.#queue.write(line, record)
    this.#writer.write(line)
    return true
  }

  /** Whether `writeReady` can be called. */
  get gathersText(): boolean {
    return this.#queue !== undefined
  }

  /** Writes a line of text through the writer thread. See `LineBatch.addReady`. @returns Like `write` */
  writeReady(start: string, message: string, record: Pick<LogRecord, 'timeMs' | 'level'>): boolean {
    return this.#queue?.writeReady(start, message, record) ?? false
  }

  /**
   * Writes all lines in the queue. @throws {Error} from `fs.writevSync`; unwritten lines are kept for the next attempt
   */
  flush(): void {
    this.#queue?.flush()
  }

  /** Writes all received lines to the current file descriptor. Writes later lines to the descriptor that `open` returns. */
  switchTo(open: () => number): void {
    const change = (): number => {
      this.#fd = open()
      this.#writer = new LineWriter(this.#fd)
      return this.#fd
    }
    if (this.#queue === undefined) change()
    else this.#queue.switchTo(change)
  }
}
