import { describe, expect, it } from 'vitest'
import { pageBlocks } from './page-blocks.ts'

describe('pageBlocks', () => {
  it('returns the blocks in every language with the number of their first line', () => {
    expect(pageBlocks('# A\n\n```ts\nlet a = 1\n```\n\n```console\n$ ls\n```\n')).toEqual([
      { language: 'ts', code: 'let a = 1\n', line: 4, isBackground: false },
      { language: 'console', code: '$ ls\n', line: 8, isBackground: false },
    ])
  })

  it('reads the file name and the marks', () => {
    expect(
      pageBlocks('```ts title="src/app.ts" no-run="never ends"\n```\n```console background\n```\n```ts no-run\n```'),
    ).toMatchObject([{ title: 'src/app.ts', noRun: 'never ends' }, { isBackground: true }, { noRun: '' }])
  })

  it('removes the indentation of a block in a list', () => {
    expect(pageBlocks('- item\n\n  ```ts\n  if (a) {\n    b()\n  }\n  ```\n')[0]?.code).toBe('if (a) {\n  b()\n}\n')
  })
})
