import { isatty } from 'node:tty'
import { flag, type OptionKinds } from '@fw/options'
import type { LogRecord } from '@fw/types'
import { Level } from '../level.ts'
import type { LinePattern, LineTarget } from '../lines/pattern.ts'
import type { PlainCall, PlainForm } from '../lines/plain-call.ts'
import { droppedRecord } from '../record.ts'
import { ColorMode, colorModeKind, colorsTo, paintLevel } from './color.ts'
import { checkLineConfig, type LineConfig } from './line-config.ts'
import type { LineBuffer } from '../text/line-buffer.ts'
import { LineOutput } from './line-output.ts'
import { declareAbilities, type LogSink } from './log-sink.ts'
import { LineWriter } from '../lines/line-writer.ts'

export interface ConsoleSinkConfig extends LineConfig {
  /** Default: `ColorMode.Auto` */
  readonly colorMode?: ColorMode
  /** Write Error and Fatal records to stderr instead of stdout. Default: true */
  readonly stderrForErrors?: boolean
  /**
   * Keep the line breaks of messages, such as those of a stack trace. Each further line begins with `  | `, so that it
   * cannot pass for a record. Default: on a terminal; a pipe or a file gets one line for each record
   */
  readonly multiline?: boolean
}

const OPTIONS: OptionKinds<Omit<ConsoleSinkConfig, keyof LineConfig>> = {
  colorMode: colorModeKind,
  stderrForErrors: flag,
  multiline: flag,
}

/** Writes one line for each record to stdout or stderr; each of the two has colours or not by itself. */
export class ConsoleSink implements LogSink {
  readonly level: Level
  readonly #stderrForErrors: boolean
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
    const line = checkLineConfig('ConsoleSink', config, OPTIONS)
    const mode = config.colorMode ?? ColorMode.Auto
    const targetOf = (fd: number): LineTarget => ({
      paint: colorsTo(fd, mode) ? paintLevel : undefined,
      multiline: config.multiline ?? isatty(fd),
    })
    this.level = line.level
    this.#stderrForErrors = config.stderrForErrors ?? true
    this.#outLine = line.compile(targetOf(fds[0]))
    this.#errLine = line.compile(targetOf(fds[1]))
    this.#out = new LineOutput(fds[0], (count) => this.#outLine(droppedRecord(count)))
    this.#err = new LineWriter(fds[1])
    const { compileCalls } = line
    const formFor = (fd: number): PlainForm | undefined => compileCalls?.(targetOf(fd))
    // A subclass that changes records must see all of them.
    const [outForm, errForm] = new.target === ConsoleSink ? fds.map(formFor) : []
    const writeCall =
      outForm &&
      errForm &&
      ((call: PlainCall) => !this.#closed && this.#put(call, (this.#isError(call) ? errForm : outForm).lineOf(call)))
    declareAbilities(this, this.#out.abilities(line.usesLocation, writeCall))
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
    this.#out.close()
  }
}
