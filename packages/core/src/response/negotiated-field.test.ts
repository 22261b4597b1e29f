import { expect, it } from 'vitest'
import { negotiatedField } from './negotiated-field.ts'

it.each([
  ['nothing', null, undefined],
  ['an empty field', '', undefined],
  ['a field that people send', 'text/html, */*;q=0.1', 'text/html, */*;q=0.1'],
  ['as much as is looked at', 'a,'.repeat(1024), 'a,'.repeat(1024)],
  ['more', `${'text/html,'.repeat(204)}abcdefghij,x`, 'text/html,'.repeat(204).slice(0, -1)],
  ['one long element', 'x'.repeat(16_000), 'x'.repeat(2048)],
])('of %s as much as is whole is looked at', (_, value, looked) => {
  expect(negotiatedField(value)).toBe(looked)
})
