import { assert, nat, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { History, type ChannelEvent, type HistoryLimits } from './history.ts'

const UNBOUNDED: HistoryLimits = { maxEvents: Infinity, maxBytes: Infinity, maxAgeMs: Infinity }

function event(history: History, id: string, size = 1, timeMs = 0): ChannelEvent {
  const wire = new Uint8Array(size)
  return { seq: history.nextSeq, id, event: '', data: '', key: undefined, wire, timeMs, position: undefined }
}

function ids(history: History): string[] {
  const all: string[] = []
  for (let seq = history.firstSeq; seq < history.nextSeq; seq++) all.push(history.at(seq)?.id ?? 'missing')
  return all
}

describe('History', () => {
  it.each<[string, Partial<HistoryLimits>, string]>([
    ['a number of events', { maxEvents: 2 }, 'c d'],
    ['a number of bytes', { maxBytes: 25 }, 'c d'],
    ['an age', { maxAgeMs: 100 }, 'c d'],
    ['nothing', {}, 'a b c d'],
    ['a count of 0', { maxEvents: 0 }, ''],
    ['fewer bytes than a single event', { maxBytes: 5 }, ''],
  ])('is limited by %s', (_, limits, kept) => {
    const history = new History({ ...UNBOUNDED, ...limits })
    for (const [at, id] of ['a', 'b', 'c', 'd'].entries()) history.add(event(history, id, 10, at * 100))
    expect(ids(history).join(' ')).toBe(kept)
    expect(history.bytes).toBe(ids(history).length * 10)
  })

  it.each(['a ', ' a', '\ta\t', ' a b '])(
    'finds the ID %j without its surrounding whitespace, which header fields lose',
    (id) => {
      const history = new History({ ...UNBOUNDED, maxEvents: 1 })
      history.add(event(history, id))
      expect([history.after(id), history.after(id.trim())]).toEqual([1, 1])
      history.add(event(history, 'next'))
      expect([history.after(id), history.after(id.trim())]).toEqual([1, 1])
      history.add(event(history, 'last'))
      expect([history.after(id), history.after(id.trim())]).toEqual([undefined, undefined])
    },
  )

  it('parses an ID with inner whitespace at least as fast as 200 IDs with surrounding whitespace', () => {
    const history = new History({ ...UNBOUNDED, maxEvents: 1 })
    const space = ' '.repeat(20_000)
    const timeOf = (id: string, times: number): number => {
      const startMs = performance.now()
      for (let i = 0; i < times; i++) history.after(id)
      return performance.now() - startMs
    }
    expect(timeOf(`x${space}x`, 1)).toBeLessThan(timeOf(`${space}x${space}`, 200))
  })

  it.each([
    [0, 0],
    [100, 1],
    [101, 3],
    [300, 3],
    [301, 4],
  ])('finds the events since %d', (timeMs, place) => {
    const history = new History(UNBOUNDED)
    expect(history.since(timeMs)).toBe(0)
    for (const [at, time] of [0, 100, 100, 300].entries()) history.add(event(history, String(at), 1, time))
    expect(history.since(timeMs)).toBe(place)
  })

  it('does not find removed events from that time', () => {
    const history = new History({ ...UNBOUNDED, maxEvents: 1 })
    for (const id of ['a', 'b', 'c']) history.add(event(history, id, 1, 100))
    expect(history.since(0)).toBe(2)
    history.clear()
    expect(history.since(0)).toBe(3)
  })

  it('finds the position after an ID and after the last removed ID', () => {
    const history = new History({ ...UNBOUNDED, maxEvents: 2 })
    for (const id of ['a', 'b', 'c', 'd']) history.add(event(history, id))
    expect([history.after('a'), history.after('b'), history.after('c'), history.after('d')]).toEqual([
      undefined,
      2,
      3,
      4,
    ])
    expect(history.after('x')).toBeUndefined()
  })

  it('finds the newest event with a reused ID', () => {
    const history = new History({ ...UNBOUNDED, maxEvents: 2 })
    for (const id of ['a', 'b', 'a']) history.add(event(history, id))
    expect(history.after('a')).toBe(3)
  })

  it('removes old events on expire', () => {
    const history = new History({ ...UNBOUNDED, maxAgeMs: 50 })
    history.add(event(history, 'a', 1, 0))
    history.expire(50)
    expect(history.length).toBe(1)
    history.expire(51)
    expect(history.length).toBe(0)
    expect(history.after('a')).toBe(1)
  })

  it('removes all IDs on clear but continues the sequence numbers', () => {
    const history = new History(UNBOUNDED)
    for (const id of ['a', 'b']) history.add(event(history, id))
    history.clear()
    expect([history.after('a'), history.after('b'), history.length, history.nextSeq]).toEqual([
      undefined,
      undefined,
      0,
      2,
    ])
    history.add(event(history, 'c'))
    expect(ids(history)).toEqual(['c'])
  })

  it('keeps exactly the newest events after any number of additions', () => {
    assert(
      property(nat(5000), nat(50), (added, maxEvents) => {
        const history = new History({ ...UNBOUNDED, maxEvents })
        for (let n = 0; n < added; n++) history.add(event(history, String(n)))
        const first = Math.max(0, added - maxEvents)
        expect(history.firstSeq).toBe(first)
        expect(ids(history)).toEqual(Array.from({ length: added - first }, (_, n) => String(first + n)))
        expect(history.after(String(first - 1))).toBe(first === 0 ? undefined : first)
      }),
      { numRuns: 30 },
    )
  })
})
