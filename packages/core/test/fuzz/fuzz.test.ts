import { expect, it } from 'vitest'
import { CORPUS } from './corpus.ts'
import { Random } from './random.ts'
import { fuzz, judge } from './run.ts'

/** The same on every machine, so that what passes once passes again; `FUZZ_SECONDS` has it look for as long as that. */
const INPUTS = process.env['CI'] === undefined ? 4000 : 60_000
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 0)
const LENGTH = SECONDS === 0 ? `${INPUTS} inputs` : `${SECONDS} s`
const SEED = Number(process.env['FUZZ_SEED'] ?? 1)

it.each(CORPUS.map((wire) => [wire.length > 300 ? `${wire.slice(0, 300)}…` : wire, wire]))(
  'judges %j as llhttp does, or by a listed rule',
  async (_shown, wire) => {
    // Each cuts it elsewhere.
    for (let seed = 1; seed <= 5; seed++) expect(await judge(wire, new Random(seed))).toBeUndefined()
  },
)

it(
  `finds no bytes in ${LENGTH} on which llhttp and we differ without a listed rule`,
  async () => {
    const until = performance.now() + SECONDS * 1000
    const goesOn = (done: number): boolean => (SECONDS === 0 ? done < INPUTS : performance.now() < until)
    const { inputs, findings } = await fuzz(SEED, goesOn)
    expect(findings).toEqual([])
    expect(inputs).toBeGreaterThan(0)
  },
  (SECONDS + 600) * 1000,
)
