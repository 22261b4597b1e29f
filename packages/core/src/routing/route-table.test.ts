import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePattern, type PatternSegment } from './route-pattern.ts'
import { ANY_METHOD } from './route-leaf.ts'
import { RouteTable } from './route-table.ts'

/** Creates a table of GET routes whose values are their patterns. */
function tableOf(...patterns: readonly string[]): RouteTable<string> {
  const table = new RouteTable<string>()
  for (const pattern of patterns) table.add('GET', pattern, pattern)
  return table
}

const RANK = { literal: 0, param: 1, wildcard: 2 }

/** Returns the parameter values if the pattern matches. */
function matched(pattern: readonly PatternSegment[], path: readonly string[]): string[] | undefined {
  const values: string[] = []
  for (const [index, segment] of pattern.entries()) {
    const text = path[index]
    if (text === undefined) return undefined
    if (segment.kind === 'wildcard') return [...values, path.slice(index).join('/')]
    if (segment.kind === 'literal' ? segment.text !== text : text === '') return undefined
    if (segment.kind === 'param') values.push(text)
  }
  return pattern.length === path.length ? values : undefined
}

function compare(a: readonly PatternSegment[], b: readonly PatternSegment[]): number {
  for (const [index, segment] of a.entries()) {
    const other = b[index]
    const difference = other === undefined ? 0 : RANK[segment.kind] - RANK[other.kind]
    if (difference !== 0) return difference
  }
  return 0
}

describe('RouteTable (paths)', () => {
  const table = tableOf(
    '/',
    '/users',
    '/users/me',
    '/users/:id',
    '/users/:id/posts/:post?',
    '/users/:id/photos',
    '/users/me/photos/:photo',
    '/files/*path',
    '/files/readme',
    '/opt/:a?/:b?',
    '/slash/',
    '/café',
    '/100%',
    '/a//b',
    '/v1/items:batch',
  )
  it.each([
    ['/', '/', {}],
    ['/users', '/users', {}],
    ['/users/me', '/users/me', {}],
    ['/users/7', '/users/:id', { id: '7' }],
    ['/users/ME', '/users/:id', { id: 'ME' }],
    ['/users/7/posts', '/users/:id/posts/:post?', { id: '7' }],
    ['/users/7/posts/9', '/users/:id/posts/:post?', { id: '7', post: '9' }],
    // Literal text takes precedence over a parameter unless it leads to no route.
    ['/users/me/photos', '/users/:id/photos', { id: 'me' }],
    ['/users/me/photos/1', '/users/me/photos/:photo', { photo: '1' }],
    ['/users/me/posts', '/users/:id/posts/:post?', { id: 'me' }],
    ['/files/', '/files/*path', { path: '' }],
    ['/files/a/b.txt', '/files/*path', { path: 'a/b.txt' }],
    ['/files/readme', '/files/readme', {}],
    ['/files/readme/', '/files/*path', { path: 'readme/' }],
    ['/files//x', '/files/*path', { path: '/x' }],
    ['/files/../etc', '/files/*path', { path: '../etc' }],
    ['/opt', '/opt/:a?/:b?', {}],
    ['/opt/1', '/opt/:a?/:b?', { a: '1' }],
    ['/opt/1/2', '/opt/:a?/:b?', { a: '1', b: '2' }],
    ['/slash/', '/slash/', {}],
    ['/a//b', '/a//b', {}],
    ['/v1/items:batch', '/v1/items:batch', {}],
    // Each segment is decoded once.
    ['/users/a%2Fb', '/users/:id', { id: 'a/b' }],
    ['/users/%2541', '/users/:id', { id: '%41' }],
    ['/users/%6De', '/users/me', {}],
    ['/caf%C3%A9', '/café', {}],
    ['/100%25', '/100%', {}],
    ['/files/%C3%A9/%2e%2e', '/files/*path', { path: 'é/..' }],
    ['/users/%E2%82%AC', '/users/:id', { id: '€' }],
  ])('matches %s to %s with %j', (path, value, params) => {
    expect(table.find('GET', path)).toEqual({ kind: 'match', value, params })
  })

  it.each(['/user', '/users/', '/users/7/', '/users//posts', '/files', '/slash', '/a/b', '/opt/', '/opt/1/2/3', '//'])(
    'finds no route for %s',
    (path) => {
      expect(table.find('GET', path)).toEqual({ kind: 'unknown' })
    },
  )

  it.each(['/users/%', '/users/%4', '/users/%zz', '/users/%FF', '/users/%C3', '/nowhere/%E0%A4', '/100%'])(
    'reports %s as malformed',
    (path) => {
      expect(table.find('GET', path)).toEqual({ kind: 'malformed' })
    },
  )

  it('matches the root through an optional parameter at the root', () => {
    expect(tableOf('/:lang?').find('GET', '/')).toEqual({ kind: 'match', value: '/:lang?', params: {} })
  })

  it('returns no inherited property as a parameter', () => {
    const found = table.find('GET', '/users/7')
    expect(found.kind === 'match' && 'constructor' in found.params).toBe(false)
    const odd = tableOf('/:__proto__').find('GET', '/x')
    expect(odd.kind === 'match' && Object.entries(odd.params)).toEqual([['__proto__', 'x']])
  })
})

describe('RouteTable (methods)', () => {
  it('continues the search if the best path has no route for the method', () => {
    const table = new RouteTable<string>()
    table.add('GET', '/users/me', 'me')
    table.add('DELETE', '/users/:id', 'delete')
    table.add('PUT', '/*rest', 'put')
    expect(table.find('DELETE', '/users/me')).toMatchObject({ value: 'delete', params: { id: 'me' } })
    expect(table.find('PUT', '/users/me')).toMatchObject({ value: 'put', params: { rest: 'users/me' } })
  })

  it('lists the methods and the values of every route that matches the path', () => {
    const table = new RouteTable<string>()
    table.add('GET', '/users/me', 'me')
    table.add('DELETE', '/users/:id', 'delete')
    expect(table.find('POST', '/users/me')).toEqual({
      kind: 'other-methods',
      allow: ['GET', 'HEAD', 'DELETE', 'OPTIONS'],
      values: ['me', 'delete'],
    })
    expect(table.find('POST', '/users/7')).toEqual({
      kind: 'other-methods',
      allow: ['DELETE', 'OPTIONS'],
      values: ['delete'],
    })
  })

  it('compares methods case-sensitively', () => {
    expect(tableOf('/').find('get', '/').kind).toBe('other-methods')
  })

  it('answers HEAD with the GET route unless HEAD has its own route', () => {
    const table = tableOf('/a', '/b/:id')
    table.add('HEAD', '/b/:id', 'head')
    table.add(ANY_METHOD, '/a', 'any')
    expect(table.find('HEAD', '/a')).toMatchObject({ value: '/a' })
    expect(table.find('HEAD', '/b/1')).toMatchObject({ value: 'head' })
  })

  it('matches every method except CONNECT and TRACE to a route for any method', () => {
    const table = tableOf('/a')
    table.add(ANY_METHOD, '/a', 'any')
    expect(table.find('GET', '/a')).toMatchObject({ value: '/a' })
    for (const method of ['POST', 'OPTIONS', 'BREW']) expect(table.find(method, '/a')).toMatchObject({ value: 'any' })
    for (const method of ['CONNECT', 'TRACE']) {
      expect(table.find(method, '/a')).toEqual({
        kind: 'other-methods',
        allow: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
        values: ['/a', 'any'],
      })
    }
    table.add('TRACE', '/a', 'trace')
    expect(table.find('TRACE', '/a')).toMatchObject({ value: 'trace' })
  })

  it('lists all registered methods', () => {
    const table = tableOf('/a')
    table.add('BREW', '/pot', 'brew')
    expect(table.methods).toEqual(['GET', 'HEAD', 'BREW', 'OPTIONS'])
    expect(new RouteTable().methods).toEqual(['OPTIONS'])
  })
})

describe('RouteTable (conflicts)', () => {
  it.each([
    ['/a', '/a'],
    ['/a/:x', '/a/:y'],
    ['/a/*x', '/a/*y'],
    ['/a/:x?', '/a'],
    ['/a', '/a/:x?'],
    ['/a/:x', '/a/:y?'],
    ['/', '/:x?'],
  ])('rejects %s and %s for the same method', (first, second) => {
    const table = tableOf(first)
    expect(() => table.add('GET', second, 'other')).toThrow(`GET ${second}: '${first}' is registered`)
    expect(() => table.add('POST', second, 'other')).not.toThrow()
    expect(() => table.add(ANY_METHOD, second, 'other')).not.toThrow()
    expect(() => table.add(ANY_METHOD, second, 'other')).toThrow(`* ${second}: `)
  })

  it('adds no part of a rejected route', () => {
    const table = tableOf('/a')
    expect(() => table.add('GET', '/a/:x?', 'other')).toThrow('is registered')
    expect(table.find('GET', '/a/1')).toEqual({ kind: 'unknown' })
    expect(table.find('POST', '/a/1')).toEqual({ kind: 'unknown' })
  })
})

describe('RouteTable compared with a list of patterns', () => {
  const segment = fc.constantFrom('a', 'ab', 'abc', 'b', '', ':p', ':q')
  const pattern = fc
    .tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.constantFrom('', '/*w', '/:o?', '/:o?/:r?'))
    .map(([segments, tail]) => {
      let position = 0
      return `/${segments.map((text) => (text.startsWith(':') ? `${text}${position++}` : text)).join('/')}${tail}`
    })
  const path = fc
    .array(fc.constantFrom('a', 'ab', 'abc', 'abd', 'b', '', 'c', '%61', '%2F', 'a%62'), { minLength: 1, maxLength: 6 })
    .map((segments) => `/${segments.join('/')}`)

  it('finds the same route and the same values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('GET', 'POST'), pattern), { maxLength: 12 }),
        fc.array(path, { minLength: 1, maxLength: 8 }),
        (routes, paths) => {
          const table = new RouteTable<string>()
          const kept: { method: string; pattern: string; shape: readonly PatternSegment[] }[] = []
          for (const [method, text] of routes) {
            try {
              table.add(method, text, text)
            } catch {
              // The pattern is a duplicate. The table must ignore it.
              continue
            }
            const segments = parsePattern(text)
            const optionalFrom = segments.findIndex((each) => each.kind === 'param' && each.isOptional)
            for (let end = optionalFrom === -1 ? segments.length : optionalFrom; end <= segments.length; end++) {
              kept.push({ method, pattern: text, shape: segments.slice(0, end) })
            }
          }
          for (const each of paths) {
            const segments = each.slice(1).split('/').map(decodeURIComponent)
            const matches = kept.filter(({ shape }) => matched(shape, segments) !== undefined)
            const best = matches.filter(({ method }) => method === 'GET').sort((a, b) => compare(a.shape, b.shape))[0]
            const found = table.find('GET', each)
            expect(found.kind).toBe(best !== undefined ? 'match' : matches.length === 0 ? 'unknown' : 'other-methods')
            expect(found.kind === 'match' ? [found.value, ...Object.values(found.params)] : undefined).toEqual(
              best && [best.pattern, ...(matched(best.shape, segments) ?? [])],
            )
          }
        },
      ),
      { numRuns: 1000 },
    )
  })
})
