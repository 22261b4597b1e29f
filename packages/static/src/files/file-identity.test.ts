import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isSettled } from './file-identity.ts'

const NOW_MS = 1_800_000_000_750

/** A file that changed so many milliseconds ago. */
const changed = (msAgo: number) => {
  const ctimeNs = BigInt(NOW_MS - msAgo) * 1_000_000n
  return { dev: 1n, ino: 1n, size: 1n, mtimeNs: 0n, ctimeNs }
}

describe('isSettled', () => {
  beforeEach(() => void vi.useFakeTimers({ now: NOW_MS, toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  it.each([
    [19, false],
    [21, true],
    // What comes from the future may change as long as that lasts.
    [-5000, false],
  ])('a file that changed %d ms ago: %s', (msAgo, expected) => {
    expect(isSettled(changed(msAgo))).toBe(expected)
  })

  // A file system that keeps whole seconds, or every other one, does not tell two changes within.
  it.each([
    [750, false],
    [1750, false],
    [2750, true],
  ])('a file that changed in the full second %d ms ago: %s', (msAgo, expected) => {
    expect(isSettled(changed(msAgo))).toBe(expected)
  })
})
