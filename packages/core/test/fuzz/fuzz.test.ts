import { expect, it } from 'vitest'
import { CORPUS } from './corpus.ts'
import { Random } from './random.ts'
import { fuzz, judge } from './run.ts'

const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? (process.env['CI'] === undefined ? 5 : 60))
const SEED = Number(process.env['FUZZ_SEED'] ?? 1)

it.each(CORPUS.map((wire) => [wire.length > 300 ? `${wire.slice(0, 300)}…` : wire, wire]))(
  'judges %j as llhttp does, or by a listed rule',
  async (_shown, wire) => {
    // Each cuts it elsewhere.
    for (let seed = 1; seed <= 5; seed++) expect(await judge(wire, new Random(seed))).toBeUndefined()
  },
)

it(
  `finds no octets in ${SECONDS} s on which llhttp and we differ without a listed rule`,
  async () => {
    const { inputs, findings } = await fuzz(SEED, SECONDS * 1000)
    expect(findings).toEqual([])
    expect(inputs).toBeGreaterThan(0)
  },
  (SECONDS + 60) * 1000,
)
