import { checkOptions } from '@fw/options'
import type { LogRecord, Sink } from '@fw/types'
import { Level, levelKind, type LevelOption, readLevel } from '../level.ts'

/** Options of `MemorySink`. */
export interface MemorySinkConfig {
  /** Ignores records below this level. Default: `Level.Trace`. */
  readonly level?: LevelOption
}

/** Stores every record in memory, for tests. Only `clear` removes records. */
export class MemorySink implements Sink {
  /** Lowest level of the records that the sink accepts. */
  readonly level: Level
  readonly #records: LogRecord[] = []
  #closed = false

  /**
   * Creates a sink without records.
   *
   * @throws {TypeError | RangeError} if an option does not exist or has an invalid value
   */
  constructor(config: MemorySinkConfig = {}) {
    checkOptions('MemorySink', config, { level: levelKind })
    this.level = readLevel(config.level) ?? Level.Trace
  }

  /** Stores a record. */
  write(record: LogRecord): void {
    if (!this.#closed) this.#records.push(record)
  }

  /** Does nothing, because records are stored immediately. */
  flush(): void {}

  /** Ignores later records. Records stored so far remain readable. */
  close(): void {
    this.#closed = true
  }

  /** Returns the number of stored records. */
  size(): number {
    return this.#records.length
  }

  /** Reports whether a stored message contains the text. */
  contains(text: string): boolean {
    return this.#records.some(({ message }) => message.includes(text))
  }

  /** Returns the stored records, oldest first. */
  records(): LogRecord[] {
    return [...this.#records]
  }

  /** Returns the messages of the stored records, oldest first. */
  messages(): string[] {
    return this.#records.map(({ message }) => message)
  }

  /** Removes all stored records. */
  clear(): void {
    this.#records.length = 0
  }
}
