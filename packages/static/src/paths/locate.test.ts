import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { belowPrefix, locate, locateIn } from './locate.ts'
import type { PathGuards } from '../options.ts'

const strict: PathGuards = { dotfiles: 'deny', dotdot: 'anywhere' }
const at = (path: string, guards: PathGuards = strict) => locate('/srv/', path, guards)

describe('locate', () => {
  it.each([
    ['/a.txt', '/srv/a.txt', '/a.txt', false],
    ['/x/y/n.txt', '/srv/x/y/n.txt', '/x/y/n.txt', false],
    ['/dir/', '/srv/dir', '/dir', true],
    ['/', '/srv/', '/', true],
    ['', '/srv/', '/', false],
    ['/%61bc.txt', '/srv/abc.txt', '/abc.txt', false],
    ['/%E4%BD%A0.txt', '/srv/你.txt', '/你.txt', false],
    ['/h%23sh%3F.txt', '/srv/h#sh?.txt', '/h#sh?.txt', false],
    ['/plus+.txt', '/srv/plus+.txt', '/plus+.txt', false],
    ['/col:on,x.txt', '/srv/col:on,x.txt', '/col:on,x.txt', false],
    ['/%20space', '/srv/ space', '/ space', false],
    ['/[slug].js', '/srv/[slug].js', '/[slug].js', false],
    ['/%5Bslug%5D.js', '/srv/[slug].js', '/[slug].js', false],
    ['/a|{b}^`.js', '/srv/a|{b}^`.js', '/a|{b}^`.js', false],
    ['/v1.2/', '/srv/v1.2', '/v1.2', true],
    ['/%252f.txt', '/srv/%2f.txt', '/%2f.txt', false],
    ['/.well-known/x', '/srv/.well-known/x', '/.well-known/x', false],
  ])('locates %j at %j', (path, file, name, isDirectory) => {
    expect(at(path)).toEqual({ kind: 'path', file, name, isDirectory, isRedundant: false })
  })

  it.each([
    '/..',
    '/../x',
    '/dir/../a.txt',
    '/dir/..',
    '/.%2e/x',
    '/%2e%2e/x',
    '/%2E%2E/x',
    '/..;/x',
    '//../x',
    '/.../x',
    '/do..ts.txt',
    '/x..',
    '/./a.txt',
    '/.//example.com',
    '/dir/.',
    '/dir%2fa.txt',
    '/dir%2Fa.txt',
    '/..%2fx',
    '/%2fetc/passwd',
    '/..\\x',
    '/dir\\a.txt',
    '/dir%5ca.txt',
    '/dir%5Ca.txt',
    '/a.txt%00',
    '/%00',
    '/a%0d%0ax',
    '/a%7f',
    '/a\x7f',
    '/a b',
    '/"a"',
    '/<a',
    '/a>',
    '/a?b',
    '/a#b',
    '/é',
    '*',
    'a.txt',
    '/%',
    '/%z',
    '/%2',
    '/%%32%65',
    '/%ff',
    '/%80abc',
    '/%c0%ae%c0%ae/x',
    '/%e0%80%ae',
    '/%ed%a0%80',
    '/%u002e',
    '/.env',
    '/%2eenv',
    '/.git/config',
    '/a/.hidden/b',
    '/.well-known/.env',
    '/x/.well-known/y',
  ])('refuses %s', (path) => {
    expect(at(path)).toEqual({ kind: 'refused' })
  })

  it.each([
    ['//a.txt', '/srv/a.txt', false],
    ['/dir//a.txt', '/srv/dir/a.txt', false],
    ['///', '/srv/', true],
    ['/dir//', '/srv/dir', true],
  ])('treats %s as an alternative spelling of %s', (path, file, isDirectory) => {
    expect(at(path)).toMatchObject({ file, isDirectory, isRedundant: true })
  })

  it('allows dots in file names with dotdot: segment', () => {
    const guards: PathGuards = { dotfiles: 'deny', dotdot: 'segment' }
    expect(at('/_...slug_.js', guards)).toMatchObject({ file: '/srv/_...slug_.js' })
    for (const path of ['/..', '/../x', '/a/../b', '/%2e%2e/x', '/..;/x', '/..;x', '/.', '/.../x', '/...']) {
      expect(at(path, guards)).toEqual({ kind: 'refused' })
    }
  })

  it('allows dot files with dotfiles: allow, but never dot segments', () => {
    const guards: PathGuards = { dotfiles: 'allow', dotdot: 'segment' }
    expect(at('/.env', guards)).toMatchObject({ file: '/srv/.env' })
    for (const path of ['/.', '/./x', '/..', '/a/../b']) expect(at(path, guards)).toEqual({ kind: 'refused' })
  })

  it('remains in the directory for any path', () => {
    const piece = fc.constantFrom('/', '.', '..', '%2e', '%2f', '%5c', '\\', ';', '%25', 'a', '%00', '%', '~', 'C:')
    const path = fc.array(piece, { maxLength: 12 }).map((pieces) => `/${pieces.join('')}`)
    for (const guards of [strict, { dotfiles: 'allow', dotdot: 'segment' } as const]) {
      fc.assert(
        fc.property(path, (raw) => {
          const location = at(raw, guards)
          if (location.kind !== 'path') return
          expect(location.file.startsWith('/srv/')).toBe(true)
          expect(location.file.split('/')).not.toContain('..')
          expect(location.file.split('/')).not.toContain('.')
          expect(location.file).not.toContain('//')
          expect(location.file).not.toMatch(/[\0\\]/)
        }),
      )
    }
  })
})

describe('locateIn', () => {
  it('joins with one separator', () => {
    expect(locateIn('/srv/', 'index.html')).toBe('/srv/index.html')
    expect(locateIn('/srv/dir', 'index.html')).toBe('/srv/dir/index.html')
  })
})

describe('belowPrefix', () => {
  it.each([
    ['/a/b', 0, '/a/b'],
    ['/a/b', 1, '/b'],
    ['/a/', 1, '/'],
    ['/a', 1, ''],
    ['/a/b/c//d', 2, '/c//d'],
    ['//a', 0, '//a'],
  ])('shortens %j to the rest after segment %i: %j', (path, segments, rest) => {
    expect(belowPrefix(path, segments)).toBe(rest)
  })
})

it('accepts only the characters that browsers do not encode in a path', () => {
  const bytes = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte))
  const taken = bytes.filter((char) => at(`/a${char}b`).kind === 'path').join('')
  const left = bytes.filter((char) => char !== '%' && new URL(`http://x/a${char}b`).pathname === `/a${char}b`)
  expect(left.filter((char) => !taken.includes(char))).toEqual([])
  expect(taken).toMatch(/^[\x21-\x7e]{87}$/)
  expect(taken).not.toMatch(/[\\?#"<>%]/)
})
