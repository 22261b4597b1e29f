import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { corpusFiles, readCorpusFile } from './corpus.ts'
import { hunt } from './hunt.ts'
import { describeFinding } from './report.ts'
import { loadTarget, targetsIn } from './target.ts'

/** The time in seconds for each target. A finding is unlikely in this short time. `pnpm fuzz` searches longer. */
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? (process.env['CI'] === undefined ? 1 : 3))
/** The time in seconds for loading a target, minimizing an input and detecting a hang. */
const OTHER_SECONDS = 120

/**
 * Tests the targets of a package. Replays the corpus of each target, then checks inputs from a new seed, which it prints.
 * `FUZZ_SEED` repeats a seed, and `FUZZ_SECONDS` sets the time.
 *
 * @param folder The package's `fuzz` folder
 */
export function fuzzSuite(folder: URL): void {
  for (const target of targetsIn(fileURLToPath(folder))) {
    describe(`fuzz target ${target.name}`, () => {
      const corpus = corpusFiles(target.corpus)
      it.runIf(corpus.length > 0).each(corpus)('passes the check for %s', async (file) => {
        const loaded = await loadTarget(target.path)
        const checked = async (): Promise<void> => loaded.check(readCorpusFile(target.corpus, file))
        await expect(checked()).resolves.toBeUndefined()
      })

      const seed = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31))
      it(
        `finds no failure in ${SECONDS} s from a new seed`,
        { timeout: (SECONDS + OTHER_SECONDS) * 1000 },
        async () => {
          const { inputs, finding } = await hunt({ target, seed, seconds: SECONDS })
          console.info(`${target.name}: ${inputs} inputs from seed ${seed}`)
          expect(finding === undefined ? '' : describeFinding(target.name, finding)).toBe('')
          expect(inputs).toBeGreaterThan(0)
        },
      )
    })
  }
}
