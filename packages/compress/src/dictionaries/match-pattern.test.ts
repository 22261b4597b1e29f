import { expect, it } from 'vitest'
import { matchPattern } from './match-pattern.ts'

it.each([
  '/app/*.js',
  '/app/:version/main.js',
  '/app{/deep}?/*.js',
  '/api/list*',
  '/api/list?page=*',
  '/d%C3%BCsseldorf',
  '/',
])('accepts the pattern %j', (pattern) => {
  expect(matchPattern.accepts(pattern)).toBe(true)
})

it.each<[string, unknown]>([
  ['a regular expression', '/app/(main|other).js'],
  ['a regular expression for a name', '/app/:name(\\d+).js'],
  ['another origin', 'https://example.org/*'],
  ['another host', '//example.org/*'],
  ['a path without a slash', 'app/*.js'],
  ['an unclosed group', '/app/{'],
  ['a backslash at the end', '/app\\'],
  ['a character that is not ASCII', '/düsseldorf'],
  ['a space', '/my file'],
  ['a line break', '/app\r\nx: y'],
  ['an empty pattern', ''],
  ['a number', 1],
])('refuses a pattern with %s', (_, pattern) => {
  expect(matchPattern.accepts(pattern)).toBe(false)
})
