import { describe, expect, it } from 'vitest'
import { mergeLayers } from './merge-layers.ts'

describe('mergeLayers', () => {
  it('replaces a file with one from a later layer', () => {
    expect(mergeLayers([{ 'src/main.ts': 'a', x: '1' }, { 'src/main.ts': 'b' }], {})).toEqual({
      'src/main.ts': 'b',
      x: '1',
    })
  })

  it('appends a README.md after an empty line', () => {
    expect(mergeLayers([{ 'README.md': '# a\n' }, { 'README.md': '## b\n' }], {})).toEqual({
      'README.md': '# a\n\n## b\n',
    })
  })

  it('merges the members of a package.json', () => {
    const first = { type: 'module', dependencies: {}, devDependencies: { a: '1' } }
    const second = { type: 'module', dependencies: { b: '2' } }
    const { 'package.json': merged } = mergeLayers(
      [{ 'package.json': JSON.stringify(first) }, { 'package.json': JSON.stringify(second) }],
      {},
    )
    expect(JSON.parse(merged ?? '')).toEqual({ ...first, dependencies: { b: '2' } })
  })

  it('replaces placeholders in paths and contents, and names .gitignore', () => {
    expect(mergeLayers([{ gitignore: '', '{{name}}.service': 'run {{name}}' }], { name: 'shop' })).toEqual({
      '.gitignore': '',
      'shop.service': 'run shop',
    })
  })

  it('throws for a placeholder without a value', () => {
    expect(() => mergeLayers([{ a: '{{port}}' }], {})).toThrow('The placeholder {{port}} has no value')
  })
})
