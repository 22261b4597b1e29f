import { closeSync } from 'node:fs'
import type { LogRecord, Sink } from '@fw/types'
import { checkLevel, Level } from '../level.ts'
import { checkFlags, checkOptions } from '../options.ts'
import { compilePattern, type LinePattern } from '../pattern.ts'
import { LineWriter } from './line-writer.ts'
import { openLogFile } from './open-log-file.ts'

export interface FileSinkConfig {
  /** Missing parent directories are made. */
  readonly path: string | URL
  /** Keep what is in the file. Default: true */
  readonly append?: boolean
  /** Show `[file:line]`. Default: true */
  readonly showLocation?: boolean
  /** Show `[t:<thread id>]`. Default: false */
  readonly showThreadId?: boolean
  /** Records below this level are left out. Default: none are */
  readonly level?: Level
}

/** Appends one line for each record to a file, at once. Several processes and threads may write to the same file. */
export class FileSink implements Sink {
  readonly level: Level
  readonly usesLocation: boolean
  readonly #fd: number
  readonly #writer: LineWriter
  readonly #pattern: LinePattern
  #closed = false

  /**
   * @throws {TypeError} or {RangeError} if an option is unknown or has a wrong value
   * @throws {Error} naming the path if the file cannot be opened
   */
  constructor(config: string | URL | FileSinkConfig) {
    const purpose = 'create FileSink'
    const options = typeof config === 'string' || config instanceof URL ? { path: config } : config
    checkOptions(options, ['path', 'append', 'showLocation', 'showThreadId', 'level'], purpose)
    checkFlags(options, ['append', 'showLocation', 'showThreadId'], purpose)
    const { path, append = true, showLocation = true, showThreadId = false } = options
    this.level = checkLevel(options.level ?? Level.Trace, purpose)
    this.usesLocation = showLocation
    this.#pattern = compilePattern({ showLocation, showThreadId })
    this.#fd = openLogFile(path, append)
    this.#writer = new LineWriter(this.#fd)
  }

  /** @throws {Error} as of `fs.writeSync`, such as a full disk; the next record is tried again */
  write(record: LogRecord): void {
    if (!this.#closed) this.#writer.write(this.#pattern(record))
  }

  flush(): void {}

  close(): void {
    if (this.#closed) return
    this.#closed = true
    closeSync(this.#fd)
  }
}
