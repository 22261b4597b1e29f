import { expect, it } from 'vitest'
import { formatSize } from './units.ts'

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KB'],
  [1075, '1.0 KB'],
  [1076, '1.1 KB'],
  [1536, '1.5 KB'],
  [70_000, '68.4 KB'],
  [1_048_575, '1024.0 KB'],
  [10_485_760, '10240.0 KB'],
])('formats %d bytes as %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text)
})
