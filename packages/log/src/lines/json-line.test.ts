import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { logRecord as record } from '../testing.ts'
import { jsonLine } from './json-line.ts'

it('writes time, level and message, in this order', () => {
  expect(jsonLine(record({ level: 3 }))).toBe('{"time":"2026-01-02T03:04:05.006Z","level":"warn","message":"hello"}')
})

it('writes the location, thread and fields of a record that has them', () => {
  const location = { file: '/src/app.ts', line: 7, functionName: 'main' }
  expect(JSON.parse(jsonLine(record({ location, threadId: 2, fields: { a: 1 } })))).toEqual({
    time: '2026-01-02T03:04:05.006Z',
    level: 'info',
    message: 'hello',
    file: '/src/app.ts',
    line: 7,
    function: 'main',
    thread: 2,
    fields: { a: 1 },
  })
})

it('omits the function of a call at the top level of a module', () => {
  const location = { file: '/src/app.ts', line: 7, functionName: '' }
  expect(JSON.parse(jsonLine(record({ location })))).not.toHaveProperty('function')
})

it('writes data instead of the message', () => {
  const data = { method: 'GET', status: 200, slow: true, missing: undefined, ratio: Number.NaN }
  expect(jsonLine(record({ data, threadId: 2, fields: { a: 1 } }))).toBe(
    '{"time":"2026-01-02T03:04:05.006Z","level":"info","method":"GET","status":200,"slow":true,"ratio":null,"thread":2,"fields":{"a":1}}',
  )
  expect(jsonLine(record({ data: {} }))).toBe('{"time":"2026-01-02T03:04:05.006Z","level":"info"}')
})

it('does not let data replace other members', () => {
  const data = { time: 'forged', level: 'forged', pid: 1, fields: { a: 1 }, status: 200 }
  expect(jsonLine(record({ data }))).toBe('{"time":"2026-01-02T03:04:05.006Z","level":"info","status":200}')
})

it('omits the line number if the location is a library', () => {
  const location = { file: 'fw:core', line: 0, functionName: '' }
  expect(JSON.parse(jsonLine(record({ location })))).toEqual({
    time: '2026-01-02T03:04:05.006Z',
    level: 'info',
    message: 'hello',
    file: 'fw:core',
  })
})

it('does not let a field be mistaken for a member of the record', () => {
  const parsed = JSON.parse(jsonLine(record({ fields: { level: 'fatal', message: 'forged' } })))
  expect(parsed).toMatchObject({ level: 'info', message: 'hello', fields: { level: 'fatal', message: 'forged' } })
})

it.each([
  ['a bigint', 2n ** 64n, '18446744073709551616'],
  ['a Map', new Map([['k', 1n]]), [['k', '1']]],
  ['a Set', new Set([1]), [1]],
  ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
  ['NaN', Number.NaN, null],
  ['an object with a member __proto__', JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": 1}')],
])('shows a field whose value is %s', (_what, value, expected) => {
  expect(JSON.parse(jsonLine(record({ fields: { value } }))).fields.value).toEqual(expected)
})

it('shows an error with its cause', () => {
  const error = new Error('outer', { cause: new TypeError('inner') })
  expect(JSON.parse(jsonLine(record({ fields: { error } }))).fields.error).toMatchObject({
    name: 'Error',
    message: 'outer',
    stack: expect.stringContaining('json-line.test.ts'),
    cause: { name: 'TypeError', message: 'inner' },
  })
})

it("shows an error's own properties, and the errors in an AggregateError", () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED', port: 80 })
  const { error } = JSON.parse(jsonLine(record({ fields: { error: new AggregateError([refused], 'all') } }))).fields
  expect(error).toMatchObject({ name: 'AggregateError', message: 'all' })
  expect(error.errors).toMatchObject([{ name: 'Error', message: 'connect', code: 'ECONNREFUSED', port: 80 }])
})

it('writes a circular field as text and keeps the others', () => {
  const circle: Record<string, unknown> = {}
  circle.self = circle
  expect(JSON.parse(jsonLine(record({ fields: { circle, id: 1 } }))).fields).toEqual({
    circle: '<ref *1> { self: [Circular *1] }',
    id: 1,
  })
})

it('omits values without a JSON form', () => {
  expect(JSON.parse(jsonLine(record({ fields: { a: undefined, b: () => {}, c: 1 } }))).fields).toEqual({ c: 1 })
})

it('writes one line of JSON with the same message for any record', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.dictionary(fc.string(), fc.anything()), (message, fields) => {
      const line = jsonLine(record({ message, fields }))
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/)
      expect(JSON.parse(line)).toMatchObject({ message, level: 'info' })
    }),
  )
})
