import { App } from '@fw/core'
import { describe, expect, it } from 'vitest'
import { cors } from './cors.ts'
import type { CorsOptions } from './options.ts'

const ORIGINS = ['https://app.example.org']

describe('cors()', () => {
  it.each<CorsOptions>([
    { origins: '*' },
    { origins: [] },
    { origins: ORIGINS, credentials: true },
    { origins: () => true, credentials: true, allowNullOrigin: false },
    { origins: ORIGINS, allowNullOrigin: true },
    { origins: ORIGINS, methods: ['GET', 'REPORT'], requestHeaders: ['x-a', '*'], exposedHeaders: ['etag'] },
    { origins: ORIGINS, methods: [], requestHeaders: [], exposedHeaders: [], maxAgeSeconds: 0, privateNetwork: true },
  ])('accepts %j', (options) => {
    expect(() => cors(options)).not.toThrow()
  })

  it.each<[unknown, string]>([
    [undefined, 'cors: options must be an object, got undefined. Known options: origins, '],
    [
      {},
      'cors: option "origins" must be a list of origins, "*" or a function, got undefined. List the origins, such as',
    ],
    [
      { origins: 'https://a.example' },
      'cors: option "origins" must be a list of origins, "*" or a function, got "https://a',
    ],
    [{ origins: /./ }, 'cors: option "origins" must be a list of origins'],
    [
      { origins: ['https://a.example/'] },
      'cors: option "origins[0]" must be an origin, got "https://a.example/". Write "https:',
    ],
    [{ origins: ['https://*.a.example'] }, 'Pass a function (origin) => boolean for patterns.'],
    [{ origins: ['*'] }, 'got "*". Write origins: "*".'],
    [{ origins: ['null'] }, 'cors: option "origins[0]" must be an origin, got "null". Use allowNullOrigin: true.'],
    [
      { origins: ORIGINS, methods: ['put'] },
      'option "methods[0]" must be a method in upper case, got "put". Write "PUT".',
    ],
    [{ origins: ORIGINS, methods: ['*'] }, 'option "methods[0]" must be a method in upper case, got "*". Write "PUT".'],
    [
      { origins: ORIGINS, methods: 'GET, PUT' },
      'option "methods" must be "routes" or a list of methods, got "GET, PUT".',
    ],
    [{ origins: ORIGINS, requestHeaders: ['x-a, x-b'] }, 'option "requestHeaders[0]" must be a field name'],
    [{ origins: ORIGINS, exposedHeaders: ['x a'] }, 'option "exposedHeaders[0]" must be a field name, got "x a".'],
    [{ origins: ORIGINS, maxAgeSeconds: -1 }, 'option "maxAgeSeconds" must be an integer of at least 0, got -1.'],
    [{ origins: ORIGINS, credentials: 'true' }, 'option "credentials" must be true or false, got "true".'],
    [{ origin: ORIGINS }, 'cors: unknown option "origin". Use origins instead.'],
    [{ origins: ORIGINS, allowHeaders: [] }, 'cors: unknown option "allowHeaders". Use requestHeaders instead.'],
  ])('refuses %j', (options, message) => {
    expect(() => cors(options as CorsOptions)).toThrow(message)
  })

  it('refuses credentials with "*": GHSA-88fw-hqm2-52qc, where hono reflected every origin', () => {
    const message = 'cors: option "credentials" must be false with origins "*", got true. List the origins, such as'
    expect(() => cors({ origins: '*', credentials: true })).toThrow(message)
  })

  it('refuses patterns in the list: rs/cors#197, where "h*" allowed every origin with credentials', () => {
    expect(() => cors({ origins: ['h*'], credentials: true })).toThrow(
      'option "origins[0]" must be an origin, got "h*"',
    )
  })

  it('refuses credentials with allowNullOrigin, because a sandboxed frame of any site has that origin', () => {
    const options: CorsOptions = { origins: ORIGINS, credentials: true, allowNullOrigin: true }
    expect(() => cors(options)).toThrow('option "credentials" must be false with allowNullOrigin, got true.')
  })
})

function register(option: unknown): void {
  new App().router.get('/', { cors: option as CorsOptions }, () => 'ok')
}

describe('the route option cors', () => {
  it.each([false, { origins: '*' }, { origins: ORIGINS, credentials: true }])('accepts %j', (option) => {
    expect(() => register(option)).not.toThrow()
  })

  it.each<[unknown, string]>([
    [true, 'option "cors" must be false or an object, got true. Write false, or the options of cors().'],
    [{ origins: ['x'] }, 'option "cors.origins[0]" must be an origin, got "x".'],
    [{ maxAgeSeconds: 1 }, 'Its option "origins" must be a list of origins, "*" or a function.'],
    [{ origins: '*', credentials: true }, 'Its option "credentials" must be false with origins "*".'],
    [{ origins: '*', unknown: 1 }, 'unknown option "cors.unknown"'],
  ])('refuses %j when the route is registered', (option, message) => {
    expect(() => register(option)).toThrow(message)
  })

  it('causes a compile error if it is true', () => {
    // @ts-expect-error A route option must be an object or false.
    expect(() => new App().router.get('/', { cors: true }, () => 'ok')).toThrow(TypeError)
  })
})
