import { expect, it } from 'vitest'
import { readmeBlocks } from './readme-blocks.ts'

it('finds the ts blocks with the line of their code', () => {
  const markdown = '# A\n\n```ts\nlet a = 1\n```\n\n```sh\nls\n```\n\n```ts no-run\nfor (;;);\n```\n'
  expect(readmeBlocks(markdown)).toEqual([
    { code: 'let a = 1\n', line: 4, isProgram: true },
    { code: 'for (;;);\n', line: 12, isProgram: false },
  ])
})

it('takes no block of another language for ts', () => {
  expect(readmeBlocks('```tsx\n```\n```json\n```\n```\nts\n```\n')).toEqual([])
})

it('reads CRLF like LF', () => {
  expect(readmeBlocks('```ts\r\na\r\n```\r\n')).toEqual([{ code: 'a\n', line: 2, isProgram: true }])
})
