import { describe, expect, it } from 'vitest'
import { growthOf } from './growth.ts'
import type { Sample } from './sample.ts'

function samplesOf(heap: (at: number) => number): readonly Sample[] {
  return Array.from({ length: 400 }, (_, seconds) => ({
    seconds,
    heapMib: heap(seconds),
    rssMib: 1,
    handles: 1,
    openFiles: 1,
  }))
}

describe('growthOf', () => {
  it.each<[string, (at: number) => number, boolean]>([
    ['a constant value', () => 50, false],
    ['the sawtooth of a collected heap', (at) => 50 + (at % 17) * 4, false],
    ['growth during the start', (at) => Math.min(100, 20 + at), false],
    ['a single peak', (at) => (at === 390 ? 5000 : 50), false],
    ['a falling value', (at) => 500 - at, false],
    ['a steady leak', (at) => 50 + at / 4, true],
    ['a leak below a sawtooth', (at) => 50 + at / 4 + (at % 17) * 4, true],
  ])('reports whether $0 grows: $2', (_name, heap, grows) => {
    expect(growthOf(samplesOf(heap), 'heapMib').grows).toBe(grows)
  })
})
