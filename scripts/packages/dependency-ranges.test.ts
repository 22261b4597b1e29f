import { describe, expect, it } from 'vitest'
import { checkDependencyRanges, readCatalog } from './dependency-ranges.ts'

describe('checkDependencyRanges', () => {
  it.each(['^1.2.3', '~1.2.3', '>=1.2.3', 'workspace:^', 'workspace:~', 'workspace:^1.0.0'])(
    'accepts %s',
    (version) => {
      for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) {
        expect(checkDependencyRanges({ name: 'a', [kind]: { b: version } }, {})).toEqual([])
      }
    },
  )

  it.each(['1.2.3', '=1.2.3', 'workspace:*', 'workspace:1.2.3', '*', 'latest', 'catalog:'])('rejects %s', (version) => {
    for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) {
      expect(checkDependencyRanges({ name: 'a', [kind]: { b: version } }, {})).toHaveLength(1)
    }
  })

  it('resolves "catalog:"', () => {
    const manifest = { name: 'a', dependencies: { b: 'catalog:', c: 'catalog:' } }
    expect(checkDependencyRanges(manifest, { b: '1.2.3', c: '^1.2.3' })).toEqual([
      'a: dependency b must be a version range, got 1.2.3. Use, for example, ^1.2.3',
    ])
  })
})

describe('readCatalog', () => {
  it('returns names and versions, with and without quotes', () => {
    const yaml = "packages:\n  - a\n\ncatalog:\n  '@x/y': 2.0.9\n  chalk: ^6.0.1\n\nnodeVersion: 1.2.3\n"
    expect(readCatalog(yaml)).toEqual({ '@x/y': '2.0.9', chalk: '^6.0.1' })
  })
})
