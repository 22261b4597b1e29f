import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ResponseHeaderList } from './response-headers.ts'

function listOf(...fields: readonly [string, string][]): ResponseHeaderList {
  const list = new ResponseHeaderList()
  for (const [name, value] of fields) list.append(name, value)
  return list
}

describe('ResponseHeaderList', () => {
  it('compares names without case and keeps them in lower case, in order', () => {
    const list = listOf(['B', '1'], ['a', '2'])
    list.set('b', '3')
    expect([...list]).toEqual([
      ['b', '3'],
      ['a', '2'],
    ])
    expect(list.fields).toEqual(['b', '3', 'a', '2'])
    expect([list.get('B'), list.has('A'), list.get('c'), list.has('c')]).toEqual(['3', true, null, false])
  })

  it('keeps several fields with the same name separate', () => {
    const list = listOf(['set-cookie', 'a=1'], ['x', 'y'], ['Set-Cookie', 'b=2'])
    expect(list.getAll('set-cookie')).toEqual(['a=1', 'b=2'])
    expect(list.get('set-cookie')).toBe('a=1, b=2')
    list.delete('SET-COOKIE')
    expect(list.fields).toEqual(['x', 'y'])
  })

  it('replaces all fields of the same name with a single field, at the position of the first', () => {
    const list = listOf(['a', '1'], ['b', '2'], ['a', '3'], ['c', '4'], ['a', '5'])
    list.set('A', '6')
    expect(list.fields).toEqual(['a', '6', 'b', '2', 'c', '4'])
  })

  it.each([
    ['', 'x'],
    ['a b', 'x'],
    ['a:', 'x'],
    ['a', 'x\r\ny: z'],
    ['a', 'x\n'],
    ['a', '\0'],
    ['a', '€'],
  ])('rejects %j: %j without changing the list', (name, value) => {
    const list = listOf(['k', 'v'])
    expect(() => list.set(name, value)).toThrow(TypeError)
    expect(() => list.append(name, value)).toThrow(TypeError)
    expect(list.fields).toEqual(['k', 'v'])
  })

  it.each([5, true, null, undefined, ['x']])('rejects the value %j, which is not a string', (value) => {
    const list = listOf(['k', 'v'])
    expect(() => list.set('a', value as never)).toThrow('response: value of field "a" must be a string, got ')
    expect(() => list.append('a', value as never)).toThrow('response: value of field "a" must be a string, got ')
    expect(list.fields).toEqual(['k', 'v'])
  })

  it('accepts Latin-1 values', () => {
    expect(listOf(['a', 'é\t~']).get('a')).toBe('é\t~')
  })

  it('uses the given list without copying or changing it', () => {
    const shared = Object.freeze(['etag', '"1"', 'a', '1', 'a', '2'])
    const changes: readonly [(list: ResponseHeaderList) => void, readonly string[]][] = [
      [() => {}, shared],
      [(list) => list.delete('b'), shared],
      [(list) => list.set('A', '3'), ['etag', '"1"', 'a', '3']],
      [(list) => list.append('b', '4'), [...shared, 'b', '4']],
      [(list) => list.delete('etag'), ['a', '1', 'a', '2']],
    ]
    for (const [change, expected] of changes) {
      const list = new ResponseHeaderList()
      list.setAll(shared)
      expect([list.get('a'), list.getAll('a'), list.has('etag')]).toEqual(['1, 2', ['1', '2'], true])
      change(list)
      expect(list.fields).toEqual(expected)
    }
    expect(shared).toEqual(['etag', '"1"', 'a', '1', 'a', '2'])
  })

  it('replaces only the fields that the given list names', () => {
    const list = listOf(['a', '0'], ['vary', 'origin'], ['a', '9'])
    list.setAll(['a', '1', 'a', '2', 'etag', '"1"'])
    expect(list.fields).toEqual(['vary', 'origin', 'a', '1', 'a', '2', 'etag', '"1"'])
  })

  it('behaves like the standard Headers for token values', () => {
    const name = fc.constantFrom('a', 'A', 'b', 'c')
    const change = fc.tuple(fc.constantFrom('set', 'append', 'delete'), name, fc.constantFrom('1', '2', '3'))
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const list = new ResponseHeaderList()
        const headers = new Headers()
        for (const [kind, key, value] of changes) {
          if (kind === 'delete') {
            list.delete(key)
            headers.delete(key)
          } else {
            list[kind as 'set'](key, value)
            headers[kind as 'set'](key, value)
          }
        }
        for (const key of ['a', 'b', 'c']) expect(list.get(key)).toBe(headers.get(key))
      }),
    )
  })
})
