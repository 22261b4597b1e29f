import { describe, expect, it } from 'vitest'
import { Http1Headers } from './headers.ts'

const headers = new Http1Headers(
  'Host: a\r\nX-One:\t1 \r\nx-one:2\r\nCookie: a=1\r\ncookie: b=2\r\nEmpty:\r\nBytes: \xe9\xff\r\n',
)

describe('Http1Headers', () => {
  it.each([
    ['host', 'a'],
    ['HOST', 'a'],
    ['x-one', '1, 2'],
    ['cookie', 'a=1; b=2'],
    ['empty', ''],
    ['bytes', '\xe9\xff'],
    ['hos', null],
    ['x-onee', null],
  ])('reports get(%j) as %j', (name, want) => {
    expect(headers.get(name)).toBe(want)
    expect(headers.has(name)).toBe(want !== null)
  })

  it('returns separate values from getAll, and iterates over fields in order', () => {
    expect(headers.getAll('X-ONE')).toEqual(['1', '2'])
    expect([...headers]).toEqual([
      ['host', 'a'],
      ['x-one', '1'],
      ['x-one', '2'],
      ['cookie', 'a=1'],
      ['cookie', 'b=2'],
      ['empty', ''],
      ['bytes', '\xe9\xff'],
    ])
  })
})
