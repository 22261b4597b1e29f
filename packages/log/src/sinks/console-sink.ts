import type { LogRecord, Sink } from '@fw/types'
import { checkLevel, Level } from '../level.ts'
import { checkFlags, checkOptions } from '../options.ts'
import { compilePattern, type LinePattern } from '../pattern.ts'
import { checkColorMode, ColorMode, colorsTo, paintLevel } from './color.ts'
import { LineWriter } from './line-writer.ts'

export interface ConsoleSinkConfig {
  /** Default: `ColorMode.Auto` */
  readonly colorMode?: ColorMode
  /** Show `[file:line]`. Default: true */
  readonly showLocation?: boolean
  /** Show `[t:<thread id>]`. Default: false */
  readonly showThreadId?: boolean
  /** Write Error and Fatal records to stderr instead of stdout. Default: true */
  readonly stderrForErrors?: boolean
  /** Records below this level are left out. Default: none are */
  readonly level?: Level
}

interface Destination {
  readonly pattern: LinePattern
  readonly writer: LineWriter
}

/** Writes one line for each record to stdout or stderr, at once; each of the two has colours or not by itself. */
export class ConsoleSink implements Sink {
  readonly level: Level
  readonly usesLocation: boolean
  readonly #stderrForErrors: boolean
  readonly #stdout: Destination
  readonly #stderr: Destination
  #closed = false

  /**
   * @param fds File descriptors that stand for stdout and stderr
   * @throws {TypeError} or {RangeError} if an option is unknown or has a wrong value
   */
  constructor(config: ConsoleSinkConfig = {}, fds: readonly [stdout: number, stderr: number] = [1, 2]) {
    const purpose = 'create ConsoleSink'
    checkOptions(config, ['colorMode', 'showLocation', 'showThreadId', 'stderrForErrors', 'level'], purpose)
    checkFlags(config, ['showLocation', 'showThreadId', 'stderrForErrors'], purpose)
    const { showLocation = true, showThreadId = false, stderrForErrors = true } = config
    const mode = checkColorMode(config.colorMode ?? ColorMode.Auto, purpose)
    const parts = { showLocation, showThreadId }
    const destination = (fd: number): Destination => ({
      pattern: compilePattern(parts, colorsTo(fd, mode) ? paintLevel : undefined),
      writer: new LineWriter(fd),
    })
    this.level = checkLevel(config.level ?? Level.Trace, purpose)
    this.usesLocation = showLocation
    this.#stderrForErrors = stderrForErrors
    this.#stdout = destination(fds[0])
    this.#stderr = destination(fds[1])
  }

  write(record: LogRecord): void {
    if (this.#closed) return
    const { writer, pattern } = this.#stderrForErrors && record.level >= Level.Error ? this.#stderr : this.#stdout
    writer.write(pattern(record))
  }

  flush(): void {}

  close(): void {
    this.#closed = true
  }
}
