import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Run } from '../run.ts'

/** Runs a program that measures several candidates once per round, and returns the figure of each candidate. */
export class ScriptRounds {
  readonly #script: URL
  readonly #words: readonly string[]
  readonly #parse: (output: string) => ReadonlyMap<string, number>
  readonly #rounds: ReadonlyMap<string, number>[] = []
  /** Number of completed rounds by candidate. */
  readonly #completed = new Map<string, number>()

  constructor(script: URL, words: readonly string[], parse: (output: string) => ReadonlyMap<string, number>) {
    this.#script = script
    this.#words = words
    this.#parse = parse
  }

  /** Returns the figure of a candidate in its next round. @throws {Error} if the output does not contain it */
  async next(name: string, run: Run): Promise<number> {
    const round = this.#completed.get(name) ?? 0
    this.#completed.set(name, round + 1)
    const figure = (this.#rounds[round] ??= await this.#measure(run)).get(name)
    if (figure === undefined) throw new Error(`The program did not measure ${name}`)
    return figure
  }

  async #measure({ isQuick }: Run): Promise<ReadonlyMap<string, number>> {
    const words = [fileURLToPath(this.#script), ...this.#words, ...(isQuick ? ['--quick'] : [])]
    const { stdout } = await promisify(execFile)(process.execPath, words)
    return this.#parse(stdout)
  }
}
