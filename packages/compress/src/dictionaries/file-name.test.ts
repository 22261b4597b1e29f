import { expect, it } from 'vitest'
import { lastSegment, patternOf, stemOf } from './file-name.ts'

it.each([
  ['main.js', 'main*.js'],
  ['main-vendor.js', 'main-vendor*.js'],
  ['main.3f2a1b9c.js', 'main*.js'],
  ['main-BxY3k9_Q.js', 'main*.js'],
  ['index-C-2jK_aB.js', 'index*.js'],
  ['chunk-ABCDEFGH.js', 'chunk*.js'],
  ['main_3f2a1b9c4d5e6f708192.css', 'main*.css'],
  ['2.f3a1b9c2.chunk.css', '2*.chunk.css'],
  ['main.3f2a1b9c.js.map', 'main*.js.map'],
  ['vue.global.prod.js', 'vue.global.prod*.js'],
  ['LICENSE', 'LICENSE*'],
  // A hash has more than seven characters. Nine must be hexadecimal.
  ['main.3f2a1b9.js', 'main.3f2a1b9*.js'],
  ['main.3f2a1b9xy.js', 'main.3f2a1b9xy*.js'],
  // A hash alone is a name.
  ['3f2a1b9c.js', '3f2a1b9c*.js'],
  ['x'.repeat(255), `${'x'.repeat(255)}*`],
  ['x'.repeat(256), undefined],
  ['a*b.js', undefined],
  ['', undefined],
])('returns the name that the versions of %j share: %j', (name, expected) => {
  expect(stemOf(name)).toBe(expected)
})

it.each([
  ['/app/main.3f2a1b9c.js', 'main.3f2a1b9c.js', '/app/main*.js'],
  ['/main.js', 'main.js', '/main*.js'],
  ['/', 'index.html', '/'],
  ['/docs/', 'index.html', '/docs/'],
  ['/any/page', 'index.html', '/any/page'],
  ['/docs/', '', '/docs/'],
  ['/a%20b.js', 'a b.js', '/a%20b.js'],
  // Only a backslash takes the meaning from these characters.
  ['/(group)/:id/a+b.js', 'a+b.js', String.raw`/\(group\)/\:id/a\+b*.js`],
  ['/a*b.js', 'a*b.js', String.raw`/a\*b.js`],
  ['//host/main.js', 'main.js', undefined],
  [`/${'a'.repeat(1024)}`, 'main.js', undefined],
])('returns the pattern of %s with the file %j: %j', (path, name, expected) => {
  expect(patternOf(path, name)).toBe(expected)
})

it('makes patterns that match the versions of a file alone', () => {
  const pattern = new URLPattern(patternOf('/(a)/main.3f2a1b9c.js', 'main.3f2a1b9c.js') ?? '', 'https://a.test')
  const matches = ['/(a)/main.00000000.js?v=1', '/(a)/vendor.00000000.js', '/a/main.00000000.js']
  expect(matches.map((path) => pattern.test(path, 'https://a.test'))).toEqual([true, false, false])
})

it('returns the last segment of a path', () => {
  expect(['/app/main.js', '/app/', '/'].map((path) => lastSegment(path))).toEqual(['main.js', '', ''])
})
