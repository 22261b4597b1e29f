import { describe, expect, it } from 'vitest'
import { parsePattern } from './match-pattern.ts'
import { PathPattern, pathPattern } from './path-pattern.ts'

describe('PathPattern', () => {
  it.each([
    ['/app/*.js', '/app/main.js', true],
    ['/app/*.js', '/app/deep/main.js', true],
    ['/app/*.js', '/app/.js', true],
    ['/app/*.js', '/app/main.css', false],
    ['/app/*.js', '/other/main.js', false],
    ['/app/*/main.js', '/app/v2/main.js', true],
    ['/app/*/main.js', '/app/main.js', false],
    ['/app*app', '/app', false],
    ['/app.js', '/app.js', true],
    ['/app.js', '/app.js2', false],
    ['/*', '/', true],
    ['/"*', '/%22a', true],
    // RFC 9842 §2.1.1: the pattern applies to the percent-encoded path.
    ['/d%C3%BCsseldorf', '/d%C3%BCsseldorf', true],
    // A path cannot name another host.
    ['/app/*.js', '//evil.example/app/main.js', false],
  ])('matches %j with %j: %s', (pattern, path, expected) => {
    expect(new PathPattern(pattern).test(path)).toBe(expected)
  })

  it('matches the same paths as URLPattern', () => {
    const patterns = textsOf(['a', 'b', '*'], 5).map((text) => `/${text}`)
    const paths = textsOf(['a', 'b'], 5).map((text) => `/${text}`)
    for (const pattern of patterns) {
      const [own, other] = [new PathPattern(pattern), parsePattern(pattern)]
      // URLPattern reads the second * of ** as a modifier, and both match the same paths.
      const differing = paths.filter((path) => own.test(path) !== other?.test(`https://match.invalid${path}`))
      expect([pattern, differing]).toEqual([pattern, []])
    }
  })

  it('matches a long path with many * in linear time', () => {
    const path = `/${'abcde'.repeat(1600)}n`
    const pattern = new PathPattern('/a*b*c*d*e*a*b*c*d*.js')
    for (let i = 0; i < 100; i++) expect(pattern.test(path)).toBe(false)
  })

  it.each([
    ['/app/*.js', '.js'],
    ['/app/*', ''],
    ['/app/main.js', ''],
  ])('returns the end of the names that %j matches: %j', (pattern, suffix) => {
    expect(new PathPattern(pattern).suffix).toBe(suffix)
  })
})

it.each<[string, unknown]>([
  ['a regular expression', '/app/(main|other).js'],
  ['a name', '/app/:name.js'],
  ['a group', '/app{/deep}?/*.js'],
  ['a query', '/app/*.js?v=*'],
  ['a fragment', '/app#a'],
  ['another origin', 'https://example.org/*'],
  ['another host', '//example.org/*'],
  ['a path without a slash', 'app/*.js'],
  ['a number', 1],
])('refuses a path pattern with %s', (_, pattern) => {
  expect(pathPattern.accepts(pattern)).toBe(false)
})

/** Returns every text of at most `length` of these characters. */
function textsOf(characters: readonly string[], length: number): string[] {
  if (length === 0) return ['']
  const shorter = textsOf(characters, length - 1)
  const longest = shorter.filter((text) => text.length === length - 1)
  return [...shorter, ...longest.flatMap((text) => characters.map((character) => text + character))]
}
