import type { RouteInfo } from '@fw/types'
import { describe, expect, it } from 'vitest'
import { methodsOf, targetedRoute } from './targeted-route.ts'

const routes = (...lines: string[]): RouteInfo[] =>
  lines.map((line) => {
    const [method = '', pattern = ''] = line.split(' ')
    return { method, pattern, options: {} }
  })
const nameOf = (route: RouteInfo | undefined): string | undefined => route && `${route.method} ${route.pattern}`

describe('targetedRoute', () => {
  it.each<[string[], string, string | undefined]>([
    [['GET /a', 'PUT /a'], 'PUT', 'PUT /a'],
    [['GET /a', 'PUT /a'], 'DELETE', undefined],
    [['GET /a'], 'HEAD', 'GET /a'],
    [['GET /a', 'HEAD /a'], 'HEAD', 'HEAD /a'],
    [['* /a', 'PUT /a'], 'PUT', 'PUT /a'],
    [['* /a', 'PUT /a'], 'PATCH', '* /a'],
    [['* /a', 'GET /a'], 'HEAD', 'GET /a'],
    [['* /a'], 'CONNECT', undefined],
    [['* /a', 'TRACE /a'], 'TRACE', 'TRACE /a'],
    [['* /a', 'PUT /:name'], 'PUT', '* /a'],
    [['GET /a', 'PUT /:name', '* /*rest'], 'PUT', 'PUT /:name'],
    [['GET /a'], 'put', undefined],
    [[], 'PUT', undefined],
  ])('searches %j for %s and finds %s', (lines, method, expected) => {
    expect(nameOf(targetedRoute(routes(...lines), method))).toBe(expected)
  })
})

describe('methodsOf', () => {
  it.each<[string[], string, string]>([
    [['GET /a', 'PUT /a'], 'PUT', 'GET, HEAD, PUT'],
    [['PUT /a', 'PUT /:name'], 'PUT', 'PUT'],
    [['* /a'], 'REPORT', 'REPORT'],
    [['* /a', 'GET /a'], 'TRACE', 'GET, HEAD'],
    [[], 'PUT', ''],
  ])('lists the methods of %j, with %s requested, as %j', (lines, method, expected) => {
    expect(methodsOf(routes(...lines), method)).toBe(expected)
  })
})
