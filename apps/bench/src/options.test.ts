import { describe, expect, it } from 'vitest'
import type { Comparison } from './comparison.ts'
import { readOptions, select } from './options.ts'

const COMPARISONS: readonly Comparison[] = ['hello', 'tls'].map((name) => ({
  name,
  title: name,
  reference: 'a',
  metrics: ['rate'],
  targets: [],
  candidates: ['a', 'b'].map((candidate) => ({ name: candidate, measure: () => Promise.resolve({}) })),
}))

describe('readOptions', () => {
  it('returns five rounds by default and one with --quick', () => {
    expect(readOptions(['http1'])).toMatchObject({ groups: ['http1'], rounds: 5, seconds: 3, isQuick: false })
    expect(readOptions(['--quick'])).toMatchObject({ groups: [], rounds: 1, seconds: 1, isQuick: true })
    expect(readOptions(['--quick', '--rounds', '2'])).toMatchObject({ rounds: 2, seconds: 1 })
  })

  it.each([[['--rounds', '0']], [['--rounds', '1.5']], [['--seconds', 'x']], [['--fast']]])('rejects %j', (words) => {
    expect(() => readOptions(words)).toThrow(TypeError)
  })
})

describe('select', () => {
  it('returns the named scenarios and candidates', () => {
    const selected = select(COMPARISONS, readOptions(['--scenario', 'tls', '--only', 'b']))
    expect(selected.map(({ name, candidates }) => [name, candidates.map((each) => each.name)])).toEqual([
      ['tls', ['b']],
    ])
    expect(select(COMPARISONS, readOptions([]))).toEqual(COMPARISONS)
  })

  it.each([
    ['--scenario', 'Unknown scenario helo. Known: hello, tls'],
    ['--only', 'Unknown candidate helo. Known: a, b'],
  ])('lists the known names for an unknown %s', (option, message) => {
    expect(() => select(COMPARISONS, readOptions([option, 'helo']))).toThrow(message)
  })
})
