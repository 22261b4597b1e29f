import { expect, it } from 'vitest'
import { isConnectionField, ReceivedFields } from './received-fields.ts'

it('stores the fields that the engine needs, and joins repeated ones', () => {
  const fields = new ReceivedFields()
  for (const [name, value] of [
    ['content-length', '5'],
    ['accept', '*/*'],
    ['content-length', '6'],
    ['host', 'a'],
    ['te', 'trailers'],
    ['expect', ''],
    ['priority', 'u=1'],
    ['priority', 'i'],
  ] as const) {
    fields.add(name, value)
  }
  expect(fields).toMatchObject({
    host: 'a',
    contentLength: '5, 6',
    te: 'trailers',
    expect: '',
    priority: 'u=1, i',
    count: 8,
  })
})

it('counts a split cookie as one field', () => {
  const fields = new ReceivedFields()
  for (const name of ['cookie', 'x', 'cookie', 'x', 'cookie']) fields.add(name, 'a=1')
  expect(fields.count).toBe(3)
})

it.each([
  ['connection', true],
  ['transfer-encoding', true],
  ['upgrade', true],
  ['te', false],
  ['host', false],
])('reports isConnectionField(%j) as %j', (name, want) => {
  expect(isConnectionField(name)).toBe(want)
})
