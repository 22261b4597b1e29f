import { closeSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import { anything, flag, oneOf, type OptionKinds } from '@fw/options'
import type { LogRecord } from '@fw/types'
import { display } from '../text/display.ts'
import { printToStderr } from '../failure-report.ts'
import type { Level } from '../level.ts'
import type { LinePattern } from '../lines/pattern.ts'
import type { LineBuffer } from '../text/line-buffer.ts'
import type { PlainCall, PlainForm } from '../lines/plain-call.ts'
import { droppedRecord } from '../record.ts'
import { checkLineConfig, type LineConfig } from './line-config.ts'
import { LineOutput } from './line-output.ts'
import { declareAbilities, type LogSink } from './log-sink.ts'
import { modeKind, openLogFile } from './open-log-file.ts'
import { Rotation, rotateKind, type RotateConfig } from './rotation.ts'

/** Options of `FileSink`. */
export interface FileSinkConfig extends LineConfig {
  /** Path of the log file. Missing parent directories are created. */
  readonly path: string | URL
  /** Keeps the content of an existing file. Default: true. */
  readonly append?: boolean
  /** Sets the permission bits of each new file, before the umask is applied. Default: 0o640. */
  readonly mode?: number
  /** Renames the file and starts a new one by size or time. Default: never. */
  readonly rotate?: RotateConfig
  /** Reopens the file on this signal, for programs such as logrotate that rename it. Default: none. */
  readonly reopenOn?: 'SIGHUP' | 'SIGUSR2'
}

const OPTIONS: OptionKinds<Omit<FileSinkConfig, keyof LineConfig>> = {
  // `openLogFile` checks it.
  path: anything,
  append: flag,
  mode: modeKind,
  rotate: rotateKind,
  reopenOn: oneOf('SIGHUP', 'SIGUSR2'),
}

/** Writes one line for each record to a file. Several processes and threads can write to the same file. */
export class FileSink implements LogSink {
  /** Lowest level of the records that the sink accepts. */
  readonly level: Level
  readonly #path: string
  readonly #mode: number | undefined
  readonly #line: LinePattern
  readonly #rotation: Rotation | undefined
  readonly #reopenOn: NodeJS.Signals | undefined
  readonly #output: LineOutput
  #fd: number
  #closed = false

  /**
   * Opens the file, and creates it if it does not exist.
   *
   * @throws {TypeError} if an option does not exist or a value has the wrong type
   * @throws {RangeError} if a number is out of range
   * @throws {Error} that names the path if the file cannot be opened
   */
  constructor(config: string | URL | FileSinkConfig) {
    const options = typeof config === 'string' || config instanceof URL ? { path: config } : config
    const line = checkLineConfig('FileSink', options, OPTIONS, { 'rotate.keep': 'rotate.maxFiles' })
    const { path, append = true, mode, rotate, reopenOn, utc = false } = options
    this.level = line.level
    this.#line = line.compile()
    this.#rotation = rotate === undefined ? undefined : new Rotation(rotate, utc, 'FileSink')
    this.#fd = openLogFile('FileSink', path, append, mode)
    this.#mode = mode
    this.#path = path instanceof URL ? fileURLToPath(path) : path
    this.#rotation?.opened(this.#fd)
    this.#output = new LineOutput(this.#fd, (count) => this.#line(droppedRecord(count)))
    // A subclass can override `write`, so `write` must receive every record.
    const form = new.target === FileSink ? line.compileCalls?.() : undefined
    const writeCall = form && ((call: PlainCall) => !this.#closed && this.#putCall(call, form))
    declareAbilities(this, this.#output.abilities(line.usesLocation, writeCall))
    this.#reopenOn = isMainThread ? reopenOn : undefined
    if (this.#reopenOn !== undefined) process.on(this.#reopenOn, this.#reopenAtSignal)
  }

  /**
   * Writes a record.
   *
   * @returns False if the record was dropped
   * @throws {Error} if `fs.writeSync` fails, for example on a full disk; the sink tries again with the next record
   */
  write(record: LogRecord): boolean {
    return !this.#closed && this.#put(this.#output.encode(this.#line(record)), record)
  }

  #putCall(call: PlainCall, form: PlainForm): boolean {
    // Rotation needs the length of each line.
    if (this.#rotation !== undefined || !this.#output.gathersText || !call.isReady) {
      return this.#put(form.lineOf(call), call)
    }
    return this.#output.writeReady(form.startOf(call), call.prefix + call.format, call)
  }

  #put(line: LineBuffer, record: Pick<LogRecord, 'timeMs' | 'level'>): boolean {
    if (this.#rotation?.isDue(line.length, record.timeMs) !== true) return this.#output.write(line, record)
    try {
      this.#renew(this.#rotation, line.length)
    } catch (error) {
      this.#rotation.failed(record.timeMs)
      this.#output.write(line, record)
      throw error
    }
    return this.#output.write(line, record)
  }

  /** Passes all received records to the operating system. */
  flush(): void {
    if (!this.#closed) this.#output.flush()
  }

  /**
   * Opens the path again after another program has renamed the file.
   *
   * @throws {Error} that names the path if the file cannot be opened; the sink then keeps the current file
   */
  reopen(): void {
    if (!this.#closed) this.#renew()
  }

  /** Flushes and closes the file. Later records are dropped. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    if (this.#reopenOn !== undefined) process.off(this.#reopenOn, this.#reopenAtSignal)
    try {
      this.#output.close()
    } finally {
      closeSync(this.#fd)
    }
  }

  /** @param bytes The number of bytes to be written next */
  #renew(rotation?: Rotation, bytes = 0): void {
    const previous = this.#fd
    this.#output.switchTo(() => {
      rotation?.setAside(this.#path, previous)
      this.#fd = openLogFile('FileSink', this.#path, true, this.#mode)
      return this.#fd
    })
    closeSync(previous)
    this.#rotation?.opened(this.#fd, bytes)
  }

  readonly #reopenAtSignal = (): void => {
    try {
      this.reopen()
    } catch (error) {
      printToStderr(`log: ${error instanceof Error ? error.message : display(error)}`)
    }
  }
}
