import { expect, it } from 'vitest'
import { correlationId } from './trace-context.ts'

it.each(['abc-123', 'req#1;{a}~|<b>', 'a'.repeat(128)])('%j is a correlation id', (value) => {
  expect(correlationId(value)).toBe(value)
})

it.each([null, '', 'a b', 'a] [admin', 'a"b', 'a\\b', 'a\n', '\xe9', 'a'.repeat(129)])('%j is none', (value) => {
  expect(correlationId(value)).toBeUndefined()
})
