import assert from 'node:assert/strict'
import { mutate, type FuzzTarget, type Random } from '@fw/testing/fuzz'
import { acceptedCodings } from '../src/http/precompressed.ts'
import { parseWeights } from '@fw/http-fields'

const CODINGS: readonly string[] = ['gzip', 'br', 'zstd', 'identity', '*', 'x-gzip', 'GZIP', 'deflate', '']
const WEIGHTS: readonly string[] = [
  '',
  '',
  ';q=1',
  ';q=0',
  ';q=0.5',
  '; Q=0.001',
  ';q=0.0000',
  ';q=2',
  ';q=',
  ';x=1;q=0.3',
  ';q=-1',
  ';q=1e9',
]
const PIECES: readonly string[] = [',', ';', '=', 'q=', ' ', '\t', '*', '0', '1', '.', '\xa0', '__proto__', 'q']
const OURS = ['br', 'zstd', 'gzip', 'identity'] as const

const target: FuzzTarget<string> = {
  parser: 'Accept-Encoding and weights (RFC 9110 §12.4.2)',
  generate: field,
  check(value) {
    const weights = parseWeights(value)
    const expected = reference(value)
    assert.deepEqual(weights, expected)

    const codings = acceptedCodings(value)
    assert.equal(new Set(codings).size, codings.length)
    const other = expected.get('*')
    for (const coding of OURS) {
      const alias = coding === 'gzip' ? expected.get('x-gzip') : undefined
      const weight = expected.get(coding) ?? alias ?? other ?? (coding === 'identity' ? 0.0005 : 0)
      assert.equal(codings.includes(coding), weight > 0, 'A coding that the client refuses is used, or the reverse')
    }
    // Field values are cached, so parse this one again.
    assert.deepEqual(acceptedCodings(value), codings)
  },
}
export default target

function field(random: Random): string {
  if (random.chance(0.005)) return random.pick(PIECES).repeat(random.below(16_000))
  const member = (): string => random.pick(CODINGS) + random.pick(WEIGHTS)
  const text = [member(), ...random.list(0.6, member)].join(random.pick([',', ', ', ' ,,']))
  return random.chance(0.3) ? mutate(text, random, PIECES) : text
}

/** Reads the weights member by member, as RFC 9110 §12.4.2 and §5.6.6 define them. */
function reference(value: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const member of value.split(',')) {
    const [name = '', ...parameters] = member.split(';').map((part) => part.trim().toLowerCase())
    if (name === '') continue
    const given = parameters.find((parameter) => /^q\s*=/.test(parameter) || parameter === 'q')
    const text = given?.replace(/^q\s*=?\s*/, '')
    const isValid = text !== undefined && /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/.test(text)
    const weight = given === undefined ? 1 : isValid ? Number(text) : 0
    weights.set(name, Math.max(weights.get(name) ?? 0, weight))
  }
  return weights
}
