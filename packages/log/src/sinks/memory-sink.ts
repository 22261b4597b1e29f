import { checkOptions } from '@fw/options'
import type { LogRecord, Sink } from '@fw/types'
import { Level, levelKind, type LevelOption, readLevel } from '../level.ts'

export interface MemorySinkConfig {
  /** Records below this level are left out. Default: none are */
  readonly level?: LevelOption
}

/** Keeps every record, for tests. It is never emptied by itself. */
export class MemorySink implements Sink {
  readonly level: Level
  readonly #records: LogRecord[] = []
  #closed = false

  /** @throws {TypeError} or {RangeError} if an option is unknown or has a wrong value */
  constructor(config: MemorySinkConfig = {}) {
    checkOptions('MemorySink', config, { level: levelKind })
    this.level = readLevel(config.level) ?? Level.Trace
  }

  write(record: LogRecord): void {
    if (!this.#closed) this.#records.push(record)
  }

  flush(): void {}

  /** What was kept stays readable. */
  close(): void {
    this.#closed = true
  }

  /** Number of records kept. */
  size(): number {
    return this.#records.length
  }

  /** Whether the text stands in one of the messages. */
  contains(text: string): boolean {
    return this.#records.some(({ message }) => message.includes(text))
  }

  /** The records kept so far, oldest first. */
  records(): LogRecord[] {
    return [...this.#records]
  }

  /** The formatted messages kept so far, oldest first. */
  messages(): string[] {
    return this.#records.map(({ message }) => message)
  }

  /** Forgets what was kept. */
  clear(): void {
    this.#records.length = 0
  }
}
