import { expect, it } from 'vitest'
import { textOf } from './utf8-text.ts'

const latin1 = (text: string): string => Buffer.from(text).toString('latin1')

it.each([
  ['', ''],
  ['plain', 'plain'],
  [latin1('Grüße €'), 'Grüße €'],
  ['text above U+00FF: €', 'text above U+00FF: €'],
  ['\u00ff', undefined],
  [latin1('€').slice(0, 2), undefined],
])('decodes the bytes in %j as UTF-8: %j', (bytes, expected) => {
  expect(textOf(bytes)).toBe(expected)
})
