import { expect, it } from 'vitest'
import { phraseOf } from './units.ts'

it.each([
  [200, 'OK'],
  [413, 'Content Too Large'],
  [422, 'Unprocessable Content'],
  [499, 'Client Closed Request'],
  [299, ''],
  [599, ''],
])('converts status %d to the phrase %j', (status, phrase) => {
  expect(phraseOf(status)).toBe(phrase)
})
