import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Run } from '../run.ts'

/**
 * Figures of a program that measures several candidates by itself, in turns. It runs once for all of them, and again
 * when one asks for the second time.
 */
export class ScriptRounds {
  readonly #script: URL
  readonly #words: readonly string[]
  readonly #parse: (output: string) => ReadonlyMap<string, number>
  #figures = new Map<string, number>()

  constructor(script: URL, words: readonly string[], parse: (output: string) => ReadonlyMap<string, number>) {
    this.#script = script
    this.#words = words
    this.#parse = parse
  }

  /** @throws {Error} if the program says nothing about that name */
  async next(name: string, { isQuick }: Run): Promise<number> {
    if (!this.#figures.has(name)) {
      const words = [fileURLToPath(this.#script), ...this.#words, ...(isQuick ? ['--quick'] : [])]
      const { stdout } = await promisify(execFile)(process.execPath, words)
      this.#figures = new Map(this.#parse(stdout))
    }
    const figure = this.#figures.get(name)
    if (figure === undefined) throw new Error('The program did not measure it')
    this.#figures.delete(name)
    return figure
  }
}
