import { expect, it } from 'vitest'
import { tokens } from './source-tokens.ts'

it('splits a line into keywords, strings and other text', () => {
  expect(tokens("  return await get('/x', name)")).toEqual([
    { kind: 'text', text: '  ' },
    { kind: 'keyword', text: 'return' },
    { kind: 'text', text: ' ' },
    { kind: 'keyword', text: 'await' },
    { kind: 'text', text: ' get(' },
    { kind: 'string', text: "'/x'" },
    { kind: 'text', text: ', name)' },
  ])
})

it.each(['', '<script>alert(1)</script>', "'open", 'const'])('keeps every character of %j', (line) => {
  expect(
    tokens(line)
      .map(({ text }) => text)
      .join(''),
  ).toBe(line)
})
