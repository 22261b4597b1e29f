import cluster from 'node:cluster'
import { closeSync } from 'node:fs'
import { anything, checkOptions, flag, type OptionKinds } from '@fw/options'
import type { LogRecord } from '@fw/types'
import { jsonLine } from '../lines/json-line.ts'
import { Level, levelKind, type LevelOption, readLevel } from '../level.ts'
import { droppedRecord } from '../record.ts'
import { LineOutput } from './line-output.ts'
import { declareAbilities, type LogSink } from './log-sink.ts'
import { modeKind, openLogFile } from './open-log-file.ts'

/** Options of `JsonSink`. */
export interface JsonSinkConfig {
  /** Appends to this file, and creates missing parent directories. Default: stdout. */
  readonly path?: string | URL
  /** Sets the permission bits of a new file, before the umask is applied. Default: 0o640. */
  readonly mode?: number
  /** Writes `file`, `line` and `function`. Default: true. */
  readonly showLocation?: boolean
  /** Writes `pid`. Default: true in worker processes of `node:cluster`. */
  readonly showProcessId?: boolean
  /** Ignores records below this level. Default: `Level.Trace`. */
  readonly level?: LevelOption
}

const OPTIONS: OptionKinds<JsonSinkConfig> = {
  // `openLogFile` checks it.
  path: anything,
  mode: modeKind,
  showLocation: flag,
  showProcessId: flag,
  level: levelKind,
}

/** Writes each record as one line of JSON to a file or stdout. */
export class JsonSink implements LogSink {
  /** Lowest level of the records that the sink accepts. */
  readonly level: Level
  readonly #showLocation: boolean
  readonly #pid: number | undefined
  readonly #fd: number | undefined
  readonly #output: LineOutput
  #closed = false

  /**
   * Opens the file at `path`. Writes to stdout if `path` is absent.
   *
   * @throws {TypeError} if an option does not exist or a value has the wrong type
   * @throws {RangeError} if a number is out of range
   * @throws {Error} that names the path if the file cannot be opened
   */
  constructor(config: JsonSinkConfig = {}) {
    checkOptions('JsonSink', config, OPTIONS)
    this.level = readLevel(config.level) ?? Level.Trace
    this.#showLocation = config.showLocation ?? true
    this.#pid = (config.showProcessId ?? cluster.isWorker) ? process.pid : undefined
    this.#fd = config.path === undefined ? undefined : openLogFile('JsonSink', config.path, true, config.mode)
    this.#output = new LineOutput(this.#fd ?? 1, (count) => jsonLine(droppedRecord(count), this.#pid))
    declareAbilities(this, this.#output.abilities(this.#showLocation))
  }

  /**
   * Writes a record.
   *
   * @returns False if the record was dropped
   * @throws {Error} if `fs.writeSync` fails, for example on a full disk; the sink tries again with the next record
   */
  write(record: LogRecord): boolean {
    if (this.#closed) return false
    const line = jsonLine(this.#showLocation ? record : { ...record, location: undefined }, this.#pid)
    return this.#output.write(this.#output.encode(line), record)
  }

  /** Passes all received records to the operating system. */
  flush(): void {
    if (!this.#closed) this.#output.flush()
  }

  /** Flushes, and closes the file unless it is stdout. Later records are dropped. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    try {
      this.#output.close()
    } finally {
      if (this.#fd !== undefined) closeSync(this.#fd)
    }
  }
}
