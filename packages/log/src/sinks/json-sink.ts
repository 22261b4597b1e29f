import { closeSync } from 'node:fs'
import type { LogRecord, Sink } from '@fw/types'
import { jsonLine } from '../json-line.ts'
import { checkLevel, Level } from '../level.ts'
import { checkFlags, checkOptions } from '../options.ts'
import { LineWriter } from './line-writer.ts'
import { openLogFile } from './open-log-file.ts'

export interface JsonSinkConfig {
  /** File to append to; missing parent directories are made. Default: stdout */
  readonly path?: string | URL
  /** Include `file`, `line` and `function`. Default: true */
  readonly showLocation?: boolean
  /** Records below this level are left out. Default: none are */
  readonly level?: Level
}

/** Writes one JSON object in a line of its own for each record, at once. */
export class JsonSink implements Sink {
  readonly level: Level
  readonly usesLocation: boolean
  readonly #fd: number | undefined
  readonly #writer: LineWriter
  #closed = false

  /**
   * @throws {TypeError} or {RangeError} if an option is unknown or has a wrong value
   * @throws {Error} naming the path if the file cannot be opened
   */
  constructor(config: JsonSinkConfig = {}) {
    checkOptions(config, ['path', 'showLocation', 'level'], 'create JsonSink')
    checkFlags(config, ['showLocation'], 'create JsonSink')
    this.level = checkLevel(config.level ?? Level.Trace, 'create JsonSink')
    this.usesLocation = config.showLocation ?? true
    this.#fd = config.path === undefined ? undefined : openLogFile(config.path, true)
    this.#writer = new LineWriter(this.#fd ?? 1)
  }

  /** @throws {Error} as of `fs.writeSync`, such as a full disk; the next record is tried again */
  write(record: LogRecord): void {
    if (this.#closed) return
    this.#writer.write(jsonLine(this.usesLocation ? record : { ...record, location: undefined }))
  }

  flush(): void {}

  close(): void {
    if (this.#closed) return
    this.#closed = true
    if (this.#fd !== undefined) closeSync(this.#fd)
  }
}
