/**
 * Run before each file of tests: properties are tried with the same values each time, so that what passes once passes
 * again. `FUZZ_SEED` has others tried.
 */
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'

const { testPath } = expect.getState()
// Most files have no properties, and would load the library for nothing.
if (testPath !== undefined && readFileSync(testPath, 'utf8').includes(`from 'fast-check'`)) {
  const { configureGlobal } = await import('fast-check')
  configureGlobal({ seed: Number(process.env['FUZZ_SEED'] ?? 1) })
}
