import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { OpenedStreams } from './receiving-streams.ts'

it('a stream is new once, also when it is heard of after those behind it', () => {
  const opened = new OpenedStreams()
  expect([0, 8, 4, 0, 8, 4, 12].map((id) => opened.isNew(id))).toEqual([true, true, true, false, false, false, true])
})

it('kinds of streams are numbered each for itself', () => {
  const opened = new OpenedStreams()
  expect([8, 2, 0, 6, 2].map((id) => opened.isNew(id))).toEqual([true, true, true, true, false])
})

it('every stream is new exactly once, in whatever order', () => {
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
