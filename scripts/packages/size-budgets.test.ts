import { truncateSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rmSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkInstalledPackages, checkPackedSize, dependenciesOf, SIZE_BUDGETS } from './size-budgets.ts'

const needs = (...names: string[]): { dependencies: Record<string, string> } => ({
  dependencies: Object.fromEntries(names.map((name) => [name, '^1.0.0'])),
})

describe('checkPackedSize', () => {
  it('accepts a tarball as large as the budget, and rejects a tarball that is one byte larger', async () => {
    const file = join(tmpdir(), `fw-budget-${process.pid}.tgz`)
    onTestFinished(() => rmSync(file))
    await writeFile(file, '')
    const budget = SIZE_BUDGETS['@fw/options']?.packedBytes ?? 0
    truncateSync(file, budget)
    expect(checkPackedSize('@fw/options', file)).toEqual([])
    truncateSync(file, budget + 1)
    expect(checkPackedSize('@fw/options', file)).toEqual([
      `@fw/options is packed into ${budget + 1} bytes. Its budget is ${budget}`,
    ])
    expect(checkPackedSize('@fw/other', file)).toHaveLength(1)
  })
})

describe('dependenciesOf', () => {
  it('follows each dependency once, even through cycles', () => {
    const packages = {
      'node_modules/a': needs('b', '@x/c'),
      'node_modules/b': needs('@x/c'),
      'node_modules/@x/c': needs('a'),
      'node_modules/unrelated': {},
    }
    expect(dependenciesOf('a', { packages })).toEqual(['@x/c', 'a', 'b'])
  })

  it('prefers a nested copy and counts both versions', () => {
    const packages = {
      'node_modules/a': needs('b', 'c'),
      'node_modules/b': needs('c'),
      'node_modules/b/node_modules/c': needs('d'),
      'node_modules/c': {},
      'node_modules/d': {},
    }
    expect(dependenciesOf('a', { packages })).toEqual(['b', 'c', 'c', 'd'])
  })
})

describe('checkInstalledPackages', () => {
  it('lists the packages if their number exceeds the budget', () => {
    const packages = { 'node_modules/@fw/options': needs('left', 'right'), 'node_modules/left': {} }
    expect(checkInstalledPackages('@fw/options', { packages })).toEqual([
      '@fw/options installs 2 packages. Its budget is 0: left, right',
    ])
    expect(checkInstalledPackages('@fw/types', { packages })).toEqual([])
  })
})
