import { expect, it } from 'vitest'
import { fuzz } from './run.ts'

const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? (process.env['CI'] === undefined ? 5 : 60))
const SEED = Number(process.env['FUZZ_SEED'] ?? 1)

it(
  `finds no frames in ${SECONDS} s on which nghttp2 and we differ without a listed rule, or on which we do what no server may`,
  async () => {
    const { inputs, findings } = await fuzz(SEED, SECONDS * 1000)
    expect(findings).toEqual([])
    expect(inputs).toBeGreaterThan(0)
  },
  (SECONDS + 60) * 1000,
)
