import { describe, expect, it } from 'vitest'
import { checkDependencyRanges, readCatalog } from './dependency-ranges.ts'

describe('checkDependencyRanges', () => {
  it.each(['^1.2.3', '~1.2.3', '>=1.2.3', 'workspace:^', 'workspace:~', 'workspace:^1.0.0'])(
    'permits %s',
    (version) => {
      for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) {
        expect(checkDependencyRanges({ name: 'a', [kind]: { b: version } }, {})).toEqual([])
      }
    },
  )

  it.each(['1.2.3', '=1.2.3', 'workspace:*', 'workspace:1.2.3', '*', 'latest', 'catalog:'])('refuses %s', (version) => {
    for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) {
      expect(checkDependencyRanges({ name: 'a', [kind]: { b: version } }, {})).toHaveLength(1)
    }
  })

  it('looks up what "catalog:" stands for', () => {
    const manifest = { name: 'a', dependencies: { b: 'catalog:', c: 'catalog:' } }
    expect(checkDependencyRanges(manifest, { b: '1.2.3', c: '^1.2.3' })).toEqual([
      'a depends on b 1.2.3. Write a range, for example ^1.2.3',
    ])
  })
})

describe('readCatalog', () => {
  it('reads names and versions, quoted or not', () => {
    const yaml = "packages:\n  - a\n\ncatalog:\n  '@x/y': 2.0.9\n  chalk: ^6.0.1\n\nnodeVersion: 1.2.3\n"
    expect(readCatalog(yaml)).toEqual({ '@x/y': '2.0.9', chalk: '^6.0.1' })
  })
})
