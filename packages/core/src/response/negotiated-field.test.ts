import { expect, it } from 'vitest'
import { negotiatedField } from './negotiated-field.ts'

it.each([
  ['a missing field', null, undefined],
  ['an empty field', '', undefined],
  ['a short field', 'text/html, */*;q=0.1', 'text/html, */*;q=0.1'],
  ['exactly 2048 bytes', 'a,'.repeat(1024), 'a,'.repeat(1024)],
  ['a longer list', `${'text/html,'.repeat(204)}abcdefghij,x`, 'text/html,'.repeat(204).slice(0, -1)],
  ['one long element', 'x'.repeat(16_000), 'x'.repeat(2048)],
])('returns at most 2048 bytes of whole elements for %s', (_, value, looked) => {
  expect(negotiatedField(value)).toBe(looked)
})
