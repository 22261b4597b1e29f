import { beforeAll, describe, expect, it } from 'vitest'
import { logRecord as record } from '../testing.ts'
import { compileCustomPattern } from './custom-pattern.ts'

const location = { file: '/srv/app/server.ts', line: 120, functionName: 'main' }
const fields = { id: 7, name: 'two words', empty: '' }
const RECORD = record({ location, fields, level: 3, threadId: 2 })

beforeAll(() => {
  process.env.TZ = 'Asia/Kolkata'
})

function lineOf(pattern: string, from = RECORD, utc = false): string {
  return compileCustomPattern(pattern, utc, {}, 'FileSink').line(from)
}

describe('a custom pattern', () => {
  it.each([
    ['{time}', '2026-01-02 08:34:05.006'],
    ['{iso}', '2026-01-02T08:34:05.006+05:30'],
    ['{epoch}', '1767323045006'],
    ['[{level}]', '[WARN ]'],
    ['{location}', 'server.ts:120'],
    ['{file} {path} {line} {function}', 'server.ts /srv/app/server.ts 120 main'],
    ['{thread} {pid}', `2 ${process.pid}`],
    ['{message} {fields}', 'hello id=7 name="two words" empty=""'],
    ['{message:>8}|{level:<6}|{line:05}', '   hello|WARN  |120  '],
    ['{{{message}}}', '{hello}'],
    ['no token', 'no token'],
    ['', ''],
  ])('formats %j as %j', (pattern, line) => {
    expect(lineOf(pattern)).toBe(line)
  })

  it.each([
    ['{time}', '2026-01-02 03:04:05.006'],
    ['{iso}', '2026-01-02T03:04:05.006Z'],
  ])('formats %j as %j with utc', (pattern, line) => {
    expect(lineOf(pattern, RECORD, true)).toBe(line)
  })

  it('shows - for a value that the record does not have', () => {
    expect(lineOf('{location} {file} {path} {line} {function} {fields}', record())).toBe('- - - - - -')
  })

  it('escapes every value that could end the line or control a terminal', () => {
    const hostile = { file: '/a\n/b\u001b.ts', line: 1, functionName: 'x\r' }
    const line = lineOf('{message} {location} {path} {function} {fields}', {
      ...record({ message: 'a\n[forged]\u001b[2J', location: hostile, fields: { 'k\n': 'v\n' } }),
    })
    expect(line).not.toMatch(/[\r\n\u001b]/)
  })

  it.each([
    ['{message}', false],
    ['{{line}}', false],
    ['{message} {line}', true],
    ['{location}', true],
  ])('reports whether %j shows the location: %j', (pattern, expected) => {
    expect(compileCustomPattern(pattern, false, {}, 'test').usesLocation).toBe(expected)
  })

  it.each([
    ['{msg}', 'text with known tokens, got "{msg}". Known tokens: time, iso, epoch, level, location, file,'],
    ['{}', 'text with known tokens, got "{}". Known tokens: '],
    ['{constructor}', 'text with known tokens, got "{constructor}".'],
    ['{message:zz}', 'text with known tokens, got "{message:zz}".'],
    ['{message', 'text with known tokens, got "{".'],
    ['message}', 'text with known tokens, got "}".'],
    ['a\nb', String.raw`a string of one line, got "a\nb".`],
    [7, 'a string of one line, got 7.'],
  ])('rejects %j', (pattern, message) => {
    const compile = (): unknown => compileCustomPattern(pattern, false, {}, 'FileSink')
    expect(compile).toThrow(TypeError)
    expect(compile).toThrow(`FileSink: option "pattern" must be ${message}`)
  })
})
