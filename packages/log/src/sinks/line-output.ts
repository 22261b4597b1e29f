import type { LogRecord } from '@fw/types'
import { QueuedWriter, type QueueSettings } from '../async/queued-writer.ts'
import type { SinkAbilities } from './log-sink.ts'
import { LineBuffer } from '../text/line-buffer.ts'
import { LineWriter } from '../lines/line-writer.ts'

/** Where a sink's lines go: to a file descriptor at once, or by way of a writer thread. */
export class LineOutput {
  readonly #describeDropped: (count: number) => string
  readonly #line = new LineBuffer()
  #fd: number
  #writer: LineWriter
  #queue: QueuedWriter | undefined
  #closed = false

  /** @param describeDropped The line that reports so many dropped records */
  constructor(fd: number, describeDropped: (count: number) => string) {
    this.#fd = fd
    this.#writer = new LineWriter(fd)
    this.#describeDropped = describeDropped
  }

  /** Returns the abilities of a sink that writes to this output alone. */
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

  /** Flushes and ends the writer thread for good. Does not close the file. @throws {Error} as `flush` */
  close(): void {
    this.#closed = true
    this.#useQueue(undefined)
  }

  /** Starts a writer thread, or ends it if there are no settings. @throws {Error} as `flush`, if it is ended */
  #useQueue(settings: QueueSettings | undefined): void {
    const previous = this.#queue
    this.#queue = undefined
    previous?.stop()
    if (settings !== undefined) this.#queue = new QueuedWriter(this.#fd, settings, this.#describeDropped)
  }

  /** A line in UTF-8 with its line break. Valid until the next. */
  encode(line: string): LineBuffer {
    this.#line.rewind(0)
    this.#line.addText(line)
    this.#line.addLineBreak()
    return this.#line
  }

  /**
   * @param line With its line break
   * @returns False if the line was dropped because the queue is full
   * @throws {Error} as of `fs.writeSync`, without a queue
   */
  write(line: LineBuffer, record: Pick<LogRecord, 'timeMs' | 'level'>): boolean {
    if (this.#queue !== undefined) return this.#queue.write(line, record)
    this.#writer.write(line)
    return true
  }

  /** Whether `writeReady` may be called. */
  get gathersText(): boolean {
    return this.#queue !== undefined
  }

  /** Takes a line as text for the writer thread. See `LineBatch.addReady`. @returns As `write` */
  writeReady(start: string, message: string, record: Pick<LogRecord, 'timeMs' | 'level'>): boolean {
    return this.#queue?.writeReady(start, message, record) ?? false
  }

  /** @throws {Error} as of `fs.writevSync`; what was not written is kept for the next attempt */
  flush(): void {
    this.#queue?.flush()
  }

  /** Writes what was taken so far to the present file descriptor, and what follows to the one that the action returns. */
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
