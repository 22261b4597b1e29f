import { describe, expect, it } from 'vitest'
import { NO_ENTRY, type RedisEntry } from './entry.ts'
import { inBatches, Outbox } from './outbox.ts'

const entryOf = (characters: number, character = 'x'): RedisEntry => {
  return { entryId: '*', origin: 'o', number: 1, previous: NO_ENTRY, body: character.repeat(characters) }
}
const MIB = 2 ** 20
const event = { event: 'e', data: 'd', id: undefined, key: undefined }

it.each<[string, readonly number[], readonly number[]]>([
  ['nothing', [], []],
  ['a few entries', [1, 1, 1], [3]],
  ['as many entries as one command can contain', Array(200).fill(1), [200]],
  ['more entries than one command can contain', Array(401).fill(1), [200, 200, 1]],
  ['as many bytes as one command can contain', [MIB / 2, MIB / 2, 1], [2, 1]],
  ['entries that are too large for any command', [2 * MIB, 1, 2 * MIB], [1, 1, 1]],
])('splits %s into commands', (_, sizes, expected) => {
  const entries = sizes.map((size) => entryOf(size))
  const batches = [...inBatches(entries)]
  expect(batches.map(({ length }) => length)).toEqual(expected)
  expect(batches.flat()).toEqual(entries)
})

it('splits commands by bytes instead of characters', () => {
  const entries = [1, 2].map(() => entryOf(MIB / 4, '\u20ac'))
  expect([...inBatches(entries)].map(({ length }) => length)).toEqual([1, 1])
})

describe('an outbox', () => {
  it('returns numbered entries in order until they are removed', () => {
    const outbox = new Outbox('me', { maxBufferedEvents: 10, maxBufferedBytes: MIB })
    outbox.add(event)
    outbox.add({ ...event, data: 'e' })
    expect(outbox.next().map(({ origin, number }) => [origin, number])).toEqual([
      ['me', 1],
      ['me', 2],
    ])
    expect(outbox.next()).toHaveLength(2)
    outbox.remove(1)
    outbox.add(event)
    expect(outbox.next().map(({ number }) => number)).toEqual([2, 3])
    outbox.remove(2)
    expect([outbox.isEmpty, outbox.next()]).toEqual([true, []])
  })

  it.each([
    ['events', { maxBufferedEvents: 2, maxBufferedBytes: MIB }],
    ['bytes', { maxBufferedEvents: 10, maxBufferedBytes: 2 * JSON.stringify(event).length }],
  ])('refuses events above its limit of %s until others are removed', (_, limits) => {
    const outbox = new Outbox('me', limits)
    outbox.add(event)
    outbox.add(event)
    expect(() => outbox.add(event)).toThrow(/Cannot publish: 2 events \(\d+ bytes in total\) are already waiting/)
    outbox.remove(1)
    outbox.add(event)
    expect(outbox.next().map(({ number }) => number)).toEqual([2, 3])
  })

  it('counts bytes instead of characters', () => {
    const outbox = new Outbox('me', { maxBufferedEvents: 10, maxBufferedBytes: 3000 })
    outbox.add({ ...event, data: '\u20ac'.repeat(900) })
    expect(() => outbox.add({ ...event, data: '\u20ac'.repeat(100) })).toThrow(/1 events \(27\d\d bytes in total\)/)
    outbox.remove(1)
    for (let n = 0; n < 5; n++) outbox.add({ ...event, data: 'x'.repeat(500) })
  })
})
