/**
 * Sets a fixed fast-check seed before each test file, so that a property test has the same result on every run. `FUZZ_SEED`
 * sets another seed.
 */
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'

const { testPath } = expect.getState()
// Most test files do not use fast-check, so load it only for those that do.
if (testPath !== undefined && readFileSync(testPath, 'utf8').includes(`from 'fast-check'`)) {
  const { configureGlobal } = await import('fast-check')
  configureGlobal({ seed: Number(process.env['FUZZ_SEED'] ?? 1) })
}
