import { describe, expect, it } from 'vitest'
import { compareEntryIds, decodeEntry, encodeBody, entryOf, parseEntries, parseRead } from './entry.ts'

const entry = {
  entryId: '5-1',
  origin: 'o1',
  number: 7,
  previous: '4-9',
  body: encodeBody({ event: 'e', data: 'd', id: undefined, key: 'k' }),
}
const wire = ['5-1', ['o', 'o1', 's', '7', 'p', '4-9', 'm', entry.body]]

describe('a Redis reply', () => {
  it.each<[string, unknown, unknown]>([
    ['null', null, []],
    ['an XREAD reply in RESP2', [['key', [wire]]], [entry]],
    ['an XREAD reply in RESP3 as an object', { key: [wire] }, [entry]],
    ['an XREAD reply in RESP3 as a map', new Map([['key', [wire]]]), [entry]],
    ['a flattened XREAD reply in RESP3', ['key', [wire]], [entry]],
  ])('parses %s', (_, reply, entries) => {
    expect(parseRead(reply)).toEqual(entries)
  })

  it.each<[string, unknown, unknown]>([
    ['a range', [wire, wire], [entry, entry]],
    ['an empty range', [], []],
    ['a deleted entry', [['5-1', null]], []],
    ['a reply that is not a list', 'OK', []],
    [
      'fields from other programs, with a name that equals another value',
      [['5-1', ['x', 'o', 'o', 'm']]],
      [{ entryId: '5-1', origin: 'm', number: 0, previous: '', body: '' }],
    ],
  ])('parses %s', (_, reply, entries) => {
    expect(parseEntries(reply)).toEqual(entries)
  })
})

describe('an entry', () => {
  it.each([
    ['5-1', '5-1', 0],
    ['5-2', '5-10', -1],
    ['10-0', '9-9', 1],
    ['0-0', '1-0', -1],
  ])('compares %j with %j: sign %i', (a, b, sign) => {
    expect(Math.sign(compareEntryIds(a, b))).toBe(sign)
  })

  it("becomes an event with the publisher's ID or its own ID", () => {
    expect(decodeEntry(entry)).toEqual({ event: 'e', data: 'd', id: '5-1', key: 'k', position: '5-1 o1 7 4-9' })
    const body = encodeBody({ event: 'e', data: 'd', id: 'x', key: undefined })
    expect(decodeEntry({ ...entry, body })).toMatchObject({ id: 'x', position: '5-1 o1 7 4-9' })
  })

  it('is restored from an event', () => {
    for (const id of [undefined, 'x']) {
      const body = encodeBody({ event: 'e', data: 'd', id, key: undefined })
      const event = decodeEntry({ ...entry, body })
      expect(event && entryOf(event)).toEqual({ ...entry, body })
    }
  })

  it.each(['', '{', 'null', '7', '{}', '{"event":1,"data":""}', '{"event":"","data":"","key":1}'])(
    'ignores the entry %j, which a different program wrote',
    (body) => {
      expect(decodeEntry({ ...entry, body })).toBeUndefined()
    },
  )

  it.each([
    { origin: '' },
    { origin: 'a b' },
    { number: Number.NaN },
    { number: Infinity },
    { number: 0 },
    { number: 1.5 },
    { previous: ' ' },
    { previous: 'x' },
  ])('ignores an entry with %j, which Redis could not restore', (part) => {
    expect(decodeEntry({ ...entry, ...part })).toBeUndefined()
  })
})
