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

/** Options of `ConsoleSink`. */
export interface ConsoleSinkConfig extends LineConfig {
  /** Chooses when level names have colors. Default: `ColorMode.Auto`. */
  readonly colorMode?: ColorMode
  /** Writes Error and Fatal records to stderr instead of stdout. Default: true. */
  readonly stderrForErrors?: boolean
  /**
   * Keeps the line breaks of messages, such as those of a stack trace. Each line after the first begins with spaces and `|`, so
   * that it cannot be mistaken for a record. Default: true on a terminal; pipes and files receive one line per record.
   */
  readonly multiline?: boolean
}

const OPTIONS: OptionKinds<Omit<ConsoleSinkConfig, keyof LineConfig>> = {
  colorMode: colorModeKind,
  stderrForErrors: flag,
  multiline: flag,
}

/** Writes records to stdout and stderr. Detects color support separately for each of them. */
export class ConsoleSink implements LogSink {
  /** Lowest level of the records that the sink accepts. */
  readonly level: Level
  readonly #stderrForErrors: boolean
  readonly #outLine: LinePattern
  readonly #errLine: LinePattern
  readonly #out: LineOutput
  /** Without a queue, so that errors are written before the call returns. */
  readonly #err: LineWriter
  #closed = false

  /**
   * Creates a sink for a terminal or container output.
   *
   * @param fds File descriptors to use as stdout and stderr
   * @throws {TypeError} if an option does not exist or a value has the wrong type
   * @throws {RangeError} if `level` is a number that is not a level
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
    // A subclass can override `write`, so `write` must receive every record.
    const [outForm, errForm] = new.target === ConsoleSink ? fds.map(formFor) : []
    const writeCall =
      outForm &&
      errForm &&
      ((call: PlainCall) => !this.#closed && this.#put(call, (this.#isError(call) ? errForm : outForm).lineOf(call)))
    declareAbilities(this, this.#out.abilities(line.usesLocation, writeCall))
  }

  /**
   * Writes a record.
   *
   * @returns False if the record was dropped
   * @throws {Error} if `fs.writeSync` fails; the sink tries again with the next record
   */
  write(record: LogRecord): boolean {
    if (this.#closed) return false
    return this.#put(record, this.#out.encode(this.#isError(record) ? this.#errLine(record) : this.#outLine(record)))
  }

  /** Passes all received records to the operating system. */
  flush(): void {
    this.#out.flush()
  }

  #isError({ level }: Pick<LogRecord, 'level'>): boolean {
    return this.#stderrForErrors && level >= Level.Error
  }

  #put(record: Pick<LogRecord, 'timeMs' | 'level'>, line: LineBuffer): boolean {
    if (!this.#isError(record)) return this.#out.write(line, record)
    try {
      // Both can be the same terminal, so write earlier records first.
      this.#out.flush()
    } finally {
      // Write to stderr even if stdout is on a full disk.
      this.#err.write(line)
    }
    return true
  }

  /** Flushes. Later records are dropped; stdout and stderr remain open. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#out.close()
  }
}
