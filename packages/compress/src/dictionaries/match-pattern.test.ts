import { expect, it } from 'vitest'
import { MatchPattern, matchPattern } from './match-pattern.ts'

it.each<[string, string, string, boolean]>([
  ['/app/*.js', '/app/main.js', '', true],
  ['/app/*.js', '/app/deep/main.js', '', true],
  ['/app/*.js', '/app/main.js', 'v=2', true],
  ['/app/*.js', '/app/main.css', '', false],
  ['/app/*.js', '/other/main.js', '', false],
  ['/app/*/main.js', '/app/v2/main.js', '', true],
  ['/app/*/main.js', '/app/main.js', '', false],
  ['/app/:version/main.js', '/app/v2/main.js', '', true],
  ['/app/:version/main.js', '/app/v2/deep/main.js', '', false],
  ['/api/list*', '/api/list', 'page=2', true],
  ['/api/list?*', '/api/list', 'page=2', true],
  ['/api/list?page=*', '/api/list', 'sort=a', false],
  ['/*', '/', '', true],
  // RFC 9842 §2.1.1: the pattern applies to the percent-encoded path.
  ['/d%C3%BCsseldorf', '/d%C3%BCsseldorf', '', true],
  // A path cannot name another host.
  ['/app/*.js', '//evil.example/app/main.js', '', false],
  ['/*', '//evil.example/app/main.js', '', true],
])('matches %j with %j?%s: %s', (pattern, path, query, expected) => {
  expect(new MatchPattern(pattern).test(path, query)).toBe(expected)
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

it.each([
  ['/app/*.js', '.js'],
  ['/app/*', ''],
  ['/app/*.{js}?', ''],
  ['/app/main.js', ''],
])('returns the end of the names that %j matches: %j', (pattern, suffix) => {
  expect(new MatchPattern(pattern).suffix).toBe(suffix)
})
