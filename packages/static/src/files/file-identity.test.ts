import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isSettled } from './file-identity.ts'

const NOW_MS = 1_800_000_000_750

/** Returns the identity of a file that changed `msAgo` milliseconds ago. */
const changed = (msAgo: number) => {
  const ctimeNs = BigInt(NOW_MS - msAgo) * 1_000_000n
  return { dev: 1n, ino: 1n, size: 1n, mtimeNs: 0n, ctimeNs }
}

describe('isSettled', () => {
  beforeEach(() => void vi.useFakeTimers({ now: NOW_MS, toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  it.each([
    [false, 19],
    [true, 21],
    // A file with a future timestamp can change undetected until that time.
    [false, -5000],
  ])('returns %s for a file that changed %d ms ago', (expected, msAgo) => {
    expect(isSettled(changed(msAgo))).toBe(expected)
  })

  // On a file system with timestamps in whole or even seconds, two changes within that time have the same timestamp.
  it.each([
    [false, 750],
    [false, 1750],
    [true, 2750],
  ])('returns %s for a file that changed at a whole second %d ms ago', (expected, msAgo) => {
    expect(isSettled(changed(msAgo))).toBe(expected)
  })
})
