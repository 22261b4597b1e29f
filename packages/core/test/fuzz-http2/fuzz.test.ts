import { expect, it } from 'vitest'
import { fuzz } from './run.ts'

/** The same on every machine, so that what passes once passes again; `FUZZ_SECONDS` has it look for as long as that. */
const INPUTS = process.env['CI'] === undefined ? 1500 : 6000
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 0)
const LENGTH = SECONDS === 0 ? `${INPUTS} inputs` : `${SECONDS} s`
const SEED = Number(process.env['FUZZ_SEED'] ?? 1)

it(
  `finds no frames in ${LENGTH} on which nghttp2 and we differ without a listed rule, or on which we do what no server may`,
  async () => {
    const until = performance.now() + SECONDS * 1000
    const goesOn = (done: number): boolean => (SECONDS === 0 ? done < INPUTS : performance.now() < until)
    const { inputs, findings } = await fuzz(SEED, goesOn)
    expect(findings).toEqual([])
    expect(inputs).toBeGreaterThan(0)
  },
  (SECONDS + 600) * 1000,
)
