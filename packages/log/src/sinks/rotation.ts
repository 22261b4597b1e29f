import { fstatSync, renameSync, rmSync, statSync } from 'node:fs'
import { extname } from 'node:path'
import { integer, oneOf, type OptionKind, optionError, options } from '@fw/options'

/** Specifies when a log file is renamed and a new file is started. */
export interface RotateConfig {
  /** Rotates before a line that would make the file longer than this, in bytes. Default: no limit. */
  readonly maxBytes?: number
  /** Rotates before the first record in a new hour or day. Default: never. */
  readonly every?: 'hour' | 'day'
  /** Limits the number of files kept in addition to the current one. `app.1.log` is the newest. Default: 5. */
  readonly maxFiles?: number
}

/** Accepts a `RotateConfig`. */
export const rotateKind: OptionKind = options<RotateConfig>({
  maxBytes: integer(1),
  every: oneOf('hour', 'day'),
  maxFiles: integer(1, 1000),
})

/** The milliseconds to wait after a failed rotation, because an immediate retry would probably fail. */
const RETRY_MS = 60_000

const MINUTE_MS = 60_000

/** Determines when a file must be rotated, and renames it. Does not open or close it. */
export class Rotation {
  readonly #maxBytes: number
  readonly #every: 'hour' | 'day' | undefined
  readonly #maxFiles: number
  readonly #utc: boolean
  #size = 0
  #periodEndMs = Infinity
  #notBeforeMs = -Infinity

  /**
   * @param config Options that `rotateKind` has checked
   * @param api The sink's class, for error messages
   * @throws {TypeError} if the options never rotate the file
   */
  constructor(config: RotateConfig, utc: boolean, api: string) {
    const { maxBytes, every, maxFiles = 5 } = config
    if (maxBytes === undefined && every === undefined) {
      const expected = 'an object with maxBytes or every'
      throw optionError({ api, name: 'rotate', expected, got: 'neither', fix: 'Add one of them, or omit rotate.' })
    }
    this.#maxBytes = maxBytes ?? Infinity
    this.#every = every
    this.#maxFiles = maxFiles
    this.#utc = utc
  }

  /** Counts the content of a newly opened file. @param bytes The number of bytes to be written next */
  opened(fd: number, bytes = 0): void {
    const { size, mtimeMs } = fstatSync(fd)
    this.#size = size + bytes
    this.#periodEndMs = this.#endOfPeriod(size > 0 ? mtimeMs : Date.now())
  }

  /** Counts the bytes of the next line. @returns Whether to rotate the file first */
  isDue(bytes: number, timeMs: number): boolean {
    const isFull = this.#size > 0 && this.#size + bytes > this.#maxBytes
    this.#size += bytes
    if (!isFull && timeMs < this.#periodEndMs) return false
    return timeMs >= this.#notBeforeMs
  }

  /** Delays the next rotation after a failed one. */
  failed(timeMs: number): void {
    this.#notBeforeMs = timeMs + RETRY_MS
  }

  /**
   * Increases the number of each kept file by one, and renames the current file to the first kept file. Has no effect if
   * another process has already renamed the file.
   *
   * @throws {Error} from `fs.renameSync`
   */
  setAside(path: string, fd: number): void {
    const [named, open] = [statSync(path, { throwIfNoEntry: false }), fstatSync(fd)]
    if (named?.ino !== open.ino || named.dev !== open.dev) return
    rmSync(keptPath(path, this.#maxFiles), { force: true })
    for (let at = this.#maxFiles - 1; at >= 1; at--) {
      if (statSync(keptPath(path, at), { throwIfNoEntry: false }) !== undefined) {
        renameSync(keptPath(path, at), keptPath(path, at + 1))
      }
    }
    renameSync(path, keptPath(path, 1))
  }

  #endOfPeriod(timeMs: number): number {
    if (this.#every === undefined) return Infinity
    const date = new Date(timeMs)
    if (this.#every === 'day') return this.#utc ? date.setUTCHours(24, 0, 0, 0) : date.setHours(24, 0, 0, 0)
    // Compare the minutes, because two consecutive hours have the same number when summer time ends.
    const minutes = this.#utc ? date.getUTCMinutes() : date.getMinutes()
    return timeMs - (timeMs % MINUTE_MS) + (60 - minutes) * MINUTE_MS
  }
}

/** Returns the path of a kept file: `logs/app.2.log` for `logs/app.log` and 2. */
function keptPath(path: string, at: number): string {
  const extension = extname(path)
  return `${path.slice(0, path.length - extension.length)}.${at}${extension}`
}
