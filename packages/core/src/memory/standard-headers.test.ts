import { expect, it } from 'vitest'
import { FieldListHeaders } from '../engine/fields/field-list-headers.ts'
import { StandardHeaders } from './standard-headers.ts'

const FIELDS = [
  ['x-a', '1'],
  ['cookie', 'a=1'],
  ['cookie', 'b=2'],
  ['x-a', '2'],
] as const

const NAMES = ['host', 'Host', 'x-a', 'X-A', 'cookie', 'nope', '', 'a b', ':path', '__proto__', 'é']

const headersOf = (fields: readonly (readonly [string, string])[]): Headers => {
  const headers = new Headers()
  for (const [name, value] of fields) headers.append(name, value)
  return headers
}

it.each(NAMES)('returns the same value for %j as FieldListHeaders', (name) => {
  const ours = new StandardHeaders(headersOf(FIELDS), 'here.test')
  const received = new FieldListHeaders(['host', 'here.test', ...FIELDS.flat()])
  expect([ours.get(name), ours.has(name)]).toEqual([received.get(name), received.has(name)])
  expect(ours.getAll(name).join()).toBe(received.get(name) ?? '')
})

it("prefers the Host field to the URL's host, and lists it once", () => {
  const ours = new StandardHeaders(headersOf([['host', 'there.test'], ...FIELDS]), 'here.test')
  expect(ours.get('HOST')).toBe('there.test')
  expect([...ours].filter(([name]) => name === 'host')).toEqual([['host', 'there.test']])
  expect([...new StandardHeaders(headersOf(FIELDS), 'here.test')][0]).toEqual(['host', 'here.test'])
})
