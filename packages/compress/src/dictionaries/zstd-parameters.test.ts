import { expect, it } from 'vitest'
import { zstdWindowLog } from './zstd-parameters.ts'

const MIB = 1024 * 1024

it.each([
  [1000, 1000, 15],
  [1000, 32 * 1024, 15],
  [1000, 32 * 1024 + 1, 16],
  [1000, 8 * MIB, 23],
  // A body of 9 MiB fits into one segment if the client must decode 1.25 times the dictionary.
  [8 * MIB, 9 * MIB, 24],
  // Otherwise, the window is the largest power of two that every client decodes.
  [1000, 9 * MIB, 23],
  [16 * MIB, 21 * MIB, 24],
  [200 * MIB, 127 * MIB, 27],
  [200 * MIB, 300 * MIB, 27],
  [1000, undefined, 21],
  [6 * MIB, undefined, 23],
  [100 * MIB, undefined, 26],
])('returns the window for a dictionary of %i and a body of %s bytes: %i', (dictionary, body, expected) => {
  expect(zstdWindowLog(dictionary, body)).toBe(expected)
})
