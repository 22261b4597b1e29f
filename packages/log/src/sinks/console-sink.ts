import type { LogRecord } from '@fw/types'
import type { QueueSettings } from '../async/queued-writer.ts'
import type { LogSink } from '../fan-out.ts'
import { Level } from '../level.ts'
import type { LinePattern } from '../lines/pattern.ts'
import type { PlainCall, PlainForm } from '../lines/plain-call.ts'
import { droppedRecord } from '../record.ts'
import { checkColorMode, ColorMode, colorsTo, paintLevel } from './color.ts'
import { checkLineConfig, type LineConfig } from './line-config.ts'
import type { LineBuffer } from '../text/line-buffer.ts'
import { LineOutput } from './line-output.ts'
import { LineWriter } from '../lines/line-writer.ts'

export interface ConsoleSinkConfig extends LineConfig {
  /** Default: `ColorMode.Auto` */
  readonly colorMode?: ColorMode
  /** Write Error and Fatal records to stderr instead of stdout. Default: true */
  readonly stderrForErrors?: boolean
}

/** Writes one line for each record to stdout or stderr; each of the two has colours or not by itself. */
export class ConsoleSink implements LogSink {
  readonly level: Level
  readonly usesLocation: boolean
  readonly #stderrForErrors: boolean
  /** See `LogSink`. */
  readonly writeCall: ((call: PlainCall) => boolean) | undefined
  readonly #outLine: LinePattern
  readonly #errLine: LinePattern
  readonly #out: LineOutput
  /** Never by way of a queue: errors are written before the call returns. */
  readonly #err: LineWriter
  #closed = false

  /**
   * @param fds File descriptors that stand for stdout and stderr
   * @throws {TypeError} or {RangeError} if an option is unknown or has a wrong value
   */
  constructor(config: ConsoleSinkConfig = {}, fds: readonly [stdout: number, stderr: number] = [1, 2]) {
    const purpose = 'create ConsoleSink'
    const line = checkLineConfig(config, ['colorMode', 'stderrForErrors'], ['stderrForErrors'], purpose)
    const mode = checkColorMode(config.colorMode ?? ColorMode.Auto, purpose)
    const compileFor = (fd: number): LinePattern => line.compile(colorsTo(fd, mode) ? paintLevel : undefined)
    this.level = line.level
    this.usesLocation = line.usesLocation
    this.#stderrForErrors = config.stderrForErrors ?? true
    this.#outLine = compileFor(fds[0])
    this.#errLine = compileFor(fds[1])
    this.#out = new LineOutput(fds[0], (count) => this.#outLine(droppedRecord(count)))
    this.#err = new LineWriter(fds[1])
    const { compileCalls } = line
    // What a subclass makes of records must see all of them.
    if (compileCalls === undefined || new.target !== ConsoleSink) return
    const formFor = (fd: number): PlainForm => compileCalls(colorsTo(fd, mode) ? paintLevel : undefined)
    const [outForm, errForm] = [formFor(fds[0]), formFor(fds[1])]
    this.writeCall = (call) => !this.#closed && this.#put(call, (this.#isError(call) ? errForm : outForm).lineOf(call))
  }

  get queued(): number {
    return this.#out.queued
  }

  useQueue(settings: QueueSettings | undefined): void {
    this.#out.useQueue(settings)
  }

  /** @throws {Error} as of `fs.writeSync`; the next record is tried again */
  write(record: LogRecord): boolean {
    if (this.#closed) return false
    return this.#put(record, this.#out.encode(this.#isError(record) ? this.#errLine(record) : this.#outLine(record)))
  }

  flush(): void {
    this.#out.flush()
  }

  #isError({ level }: Pick<LogRecord, 'level'>): boolean {
    return this.#stderrForErrors && level >= Level.Error
  }

  #put(record: Pick<LogRecord, 'timeMs' | 'level'>, line: LineBuffer): boolean {
    if (!this.#isError(record)) return this.#out.write(line, record)
    try {
      // Both may be the same terminal, where what came before is to stand before.
      this.#out.flush()
    } finally {
      // A stdout on a full disk keeps no error from stderr.
      this.#err.write(line)
    }
    return true
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#out.useQueue(undefined)
  }
}
