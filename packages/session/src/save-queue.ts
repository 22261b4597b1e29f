import type { StoredSession } from './session-store.ts'

/** The running and waiting saves of one session. */
interface Line {
  last: Promise<unknown>
  count: number
  /** The session in the store after the last save; `undefined` if unknown. */
  stored: StoredSession | undefined
}

/** Saves a session, given the result of the previous save. Returns the session that is then in the store. */
export type Save = (stored: StoredSession | undefined) => Promise<StoredSession | undefined>

/**
 * Runs the saves of each session one after another. Parallel saves would conflict: of n requests, n - 1 would have to read and
 * write again, then n - 2, and so on.
 */
export class SaveQueue {
  readonly #lines = new Map<string, Line>()

  /** The number of sessions with running or waiting saves. */
  get size(): number {
    return this.#lines.size
  }

  /** Runs a save after the earlier saves of the same key, even if they failed. @throws the error of this save */
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
