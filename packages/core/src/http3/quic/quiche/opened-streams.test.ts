import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OpenedStreams } from './receiving-streams.ts'

describe('OpenedStreams', () => {
  it('reports a stream as new once, even if it appears after later streams', () => {
    const opened = new OpenedStreams()
    expect([0, 8, 4, 0, 8, 4, 12].map((id) => opened.isNew(id))).toEqual([true, true, true, false, false, false, true])
  })

  it('numbers each stream type separately', () => {
    const opened = new OpenedStreams()
    expect([8, 2, 0, 6, 2].map((id) => opened.isNew(id))).toEqual([true, true, true, true, false])
  })

  it('reports every stream as new exactly once, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40), { maxLength: 60 }), (ids) => {
        const opened = new OpenedStreams()
        const seen = new Set<number>()
        for (const id of ids) {
          expect(opened.isNew(id)).toBe(!seen.has(id))
          seen.add(id)
        }
      }),
    )
  })
})
