import { expect, it } from 'vitest'
import { checkLevel, Level, levelName, parseLevel } from './level.ts'

const TABLE = [
  ['Trace', 0],
  ['Debug', 1],
  ['Info', 2],
  ['Warn', 3],
  ['Error', 4],
  ['Fatal', 5],
  ['Off', 6],
] as const

it.each(TABLE)('defines Level.%s as %i, with its name in upper case', (name, value) => {
  expect(Level[name]).toBe(value)
  expect(levelName(value)).toBe(name.toUpperCase())
})

it('defines seven levels', () => {
  expect(Object.keys(Level)).toHaveLength(7)
})

it.each(TABLE)('parses %s in any case', (name, value) => {
  expect(parseLevel(name)).toBe(value)
  expect(parseLevel(name.toLowerCase())).toBe(value)
})

it.each(['', 'verbose', '2', 'info ', '__proto__'])('returns undefined for the name %j', (name) => {
  expect(parseLevel(name)).toBeUndefined()
})

it.each([-1, 7, 1.5, Number.NaN, Infinity])('rejects the number %d with a RangeError', (value) => {
  expect(() => checkLevel(value, 'setLevel')).toThrow(RangeError)
})

it.each(['verbose', undefined, null, true, {}])('rejects %j with a TypeError that lists the levels', (value) => {
  expect(() => checkLevel(value, 'setLevel')).toThrow(TypeError)
  expect(() => checkLevel(value, 'setLevel')).toThrow(
    /^setLevel: level must be one of Level\.Trace \(0\) to Level\.Off \(6\) or a name such as "debug", got .*\. Use a/,
  )
})

it.each(['info', 'INFO', 'Info'])('accepts the name %j', (name) => {
  expect(checkLevel(name, 'setLevel')).toBe(Level.Info)
})
