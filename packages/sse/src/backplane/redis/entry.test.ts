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

describe('replies of Redis', () => {
  it.each<[string, unknown, unknown]>([
    ['nothing', null, []],
    ['XREAD, version 2', [['key', [wire]]], [entry]],
    ['XREAD, version 3, as an object', { key: [wire] }, [entry]],
    ['XREAD, version 3, as a map', new Map([['key', [wire]]]), [entry]],
    ['XREAD, version 3, made flat', ['key', [wire]], [entry]],
  ])('%s', (_, reply, entries) => {
    expect(parseRead(reply)).toEqual(entries)
  })

  it.each<[string, unknown, unknown]>([
    ['a range', [wire, wire], [entry, entry]],
    ['an empty range', [], []],
    ['an entry that was deleted', [['5-1', null]], []],
    ['no list', 'OK', []],
    [
      'fields of other writers, one of them named as another is valued',
      [['5-1', ['x', 'o', 'o', 'm']]],
      [{ entryId: '5-1', origin: 'm', number: 0, previous: '', body: '' }],
    ],
  ])('%s', (_, reply, entries) => {
    expect(parseEntries(reply)).toEqual(entries)
  })
})

describe('entries', () => {
  it.each([
    ['5-1', '5-1', 0],
    ['5-2', '5-10', -1],
    ['10-0', '9-9', 1],
    ['0-0', '1-0', -1],
  ])('compareEntryIds(%j, %j) has the sign of %i', (a, b, sign) => {
    expect(Math.sign(compareEntryIds(a, b))).toBe(sign)
  })

  it('become events with the id of the publisher, or their own', () => {
    expect(decodeEntry(entry)).toEqual({ event: 'e', data: 'd', id: '5-1', key: 'k', position: '5-1 o1 7 4-9' })
    const body = encodeBody({ event: 'e', data: 'd', id: 'x', key: undefined })
    expect(decodeEntry({ ...entry, body })).toMatchObject({ id: 'x', position: '5-1 o1 7 4-9' })
  })

  it('are made again from events', () => {
    for (const id of [undefined, 'x']) {
      const body = encodeBody({ event: 'e', data: 'd', id, key: undefined })
      const event = decodeEntry({ ...entry, body })
      expect(event && entryOf(event)).toEqual({ ...entry, body })
    }
  })

  it.each(['', '{', 'null', '7', '{}', '{"event":1,"data":""}', '{"event":"","data":"","key":1}'])(
    'of other writers are left out: %s',
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
  ])('ignores an entry with %j, which could not be put back into Redis', (part) => {
    expect(decodeEntry({ ...entry, ...part })).toBeUndefined()
  })
})
