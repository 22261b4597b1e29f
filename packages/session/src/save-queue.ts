import type { StoredSession } from './session-store.ts'

/** The saves of one session that run or wait. */
interface Line {
  last: Promise<unknown>
  count: number
  /** The session that the last save left in the store; `undefined` if that is not known. */
  stored: StoredSession | undefined
}

/** Saves a session, given the result of the save before it, and returns what it left in the store. */
export type Save = (stored: StoredSession | undefined) => Promise<StoredSession | undefined>

/**
 * Runs the saves of each session one after another. Parallel saves would conflict: of n requests, all but one would have to
 * read and write again, and then all but two.
 */
export class SaveQueue {
  readonly #lines = new Map<string, Line>()

  /** The number of sessions whose saves run or wait. */
  get size(): number {
    return this.#lines.size
  }

  /** Runs a save after the earlier ones of the same key, even if they failed. @throws the error of this save */
  run(key: string, save: Save): Promise<void> {
    const line = this.#lines.get(key) ?? { last: Promise.resolve(), count: 0, stored: undefined }
    this.#lines.set(key, line)
    line.count++
    const running = line.last.then(() => this.#run(key, line, save))
    line.last = running.catch(() => {})
    return running
  }

  async #run(key: string, line: Line, save: Save): Promise<void> {
    const { stored } = line
    line.stored = undefined
    try {
      line.stored = await save(stored)
    } finally {
      line.count--
      if (line.count === 0) this.#lines.delete(key)
    }
  }
}
