import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SendQueue, type Prioritized } from './send-queue.ts'

/** Creates a stream with the parameters of a `priority` field. */
function stream(id: number, urgency: number, incremental?: 'i'): Prioritized {
  return { id, priority: { urgency, isIncremental: incremental === 'i' } }
}

/** Returns the identifiers of the streams in sending order, while each stream always has more data. */
function turns(streams: readonly Prioritized[], count: number): number[] {
  const queue = new SendQueue<Prioritized>()
  for (const each of streams) queue.add(each)
  return Array.from({ length: count }, () => {
    const next = queue.take()
    if (next !== undefined) queue.add(next)
    return next?.id ?? 0
  })
}

describe('SendQueue', () => {
  it.each<[what: string, streams: Prioritized[], order: number[]]>([
    ['more urgent streams first', [stream(1, 3), stream(3, 7), stream(5, 0)], [5, 5, 5]],
    ['sequential streams by identifier', [stream(5, 3), stream(1, 3), stream(3, 3)], [1, 1, 1]],
    ['incremental streams in turns', [stream(5, 3, 'i'), stream(1, 3, 'i'), stream(3, 3, 'i')], [5, 1, 3, 5]],
    [
      'sequential and incremental streams alternately',
      [stream(1, 3), stream(3, 3), stream(5, 3, 'i'), stream(7, 3, 'i')],
      [5, 1, 7, 1, 5],
    ],
    ['an incremental stream before less urgent ones', [stream(1, 4), stream(3, 2, 'i')], [3, 3]],
  ])('returns %s', (_what, streams, order) => {
    expect(turns(streams, order.length)).toEqual(order)
  })

  it('returns each stream exactly once unless it was removed', () => {
    const streams = fc.uniqueArray(
      fc.record({
        id: fc.nat(),
        priority: fc.record({ urgency: fc.nat(7), isIncremental: fc.boolean() }),
        isRemoved: fc.boolean(),
      }),
      { selector: ({ id }) => id },
    )
    fc.assert(
      fc.property(streams, (all) => {
        const queue = new SendQueue<(typeof all)[number]>()
        for (const each of all) queue.add(each)
        for (const each of all) if (each.isRemoved) queue.remove(each)
        const kept = all.filter(({ isRemoved }) => !isRemoved)
        expect(queue.size).toBe(kept.length)
        const taken = kept.map(() => queue.take())
        expect(new Set(taken)).toEqual(new Set(kept))
        expect(taken.map((each) => each?.priority.urgency)).toEqual(
          kept.map((each) => each.priority.urgency).toSorted((a, b) => a - b),
        )
        expect([queue.take(), queue.size]).toEqual([undefined, 0])
      }),
    )
  })
})
