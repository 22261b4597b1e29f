import { describe, expect, it } from 'vitest'
import { readmeBlocks } from './readme-blocks.ts'

describe('readmeBlocks', () => {
  it('returns the ts blocks with the number of their first line', () => {
    const markdown =
      '# A\n\n```ts\nlet a = 1\n```\n\n```sh\nls\n```\n\n```ts no-run="never ends"\nfor (;;);\n```\n```ts title="a.ts"\n```\n'
    expect(readmeBlocks(markdown)).toEqual([
      { code: 'let a = 1\n', line: 4, isProgram: true },
      { code: 'for (;;);\n', line: 12, isProgram: false },
      { code: '\n', line: 15, isProgram: false },
    ])
  })

  it('rejects a no-run mark without a reason', () => {
    expect(() => readmeBlocks('```ts no-run\n```\n')).toThrow('Line 1: no-run must state a reason')
    expect(() => readmeBlocks('```ts no-run=""\n```\n')).toThrow('Line 1: no-run must state a reason')
  })

  it('ignores blocks of other languages', () => {
    expect(readmeBlocks('```tsx\n```\n```json\n```\n```\nts\n```\n')).toEqual([])
  })

  it('accepts CRLF line endings', () => {
    expect(readmeBlocks('```ts\r\na\r\n```\r\n')).toEqual([{ code: 'a\n', line: 2, isProgram: true }])
  })
})
