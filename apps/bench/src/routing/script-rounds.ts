import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Run } from '../run.ts'

/** Figures of a program that measures several candidates by itself, in turns: it runs once a round for all of them. */
export class ScriptRounds {
  readonly #script: URL
  readonly #words: readonly string[]
  readonly #parse: (output: string) => ReadonlyMap<string, number>
  readonly #rounds: ReadonlyMap<string, number>[] = []
  /** Rounds that each candidate has had. */
  readonly #had = new Map<string, number>()

  constructor(script: URL, words: readonly string[], parse: (output: string) => ReadonlyMap<string, number>) {
    this.#script = script
    this.#words = words
    this.#parse = parse
  }

  /** The figure of a candidate in its next round. @throws {Error} if the program says nothing about that name */
  async next(name: string, run: Run): Promise<number> {
    const round = this.#had.get(name) ?? 0
    this.#had.set(name, round + 1)
    const figure = (this.#rounds[round] ??= await this.#measure(run)).get(name)
    if (figure === undefined) throw new Error('The program did not measure it')
    return figure
  }

  async #measure({ isQuick }: Run): Promise<ReadonlyMap<string, number>> {
    const words = [fileURLToPath(this.#script), ...this.#words, ...(isQuick ? ['--quick'] : [])]
    const { stdout } = await promisify(execFile)(process.execPath, words)
    return this.#parse(stdout)
  }
}
