import { App } from '@fw/core'
import { describe, expect, it } from 'vitest'
import { csrf } from './csrf.ts'
import type { CsrfOptions } from './options.ts'

const HOST = 'example.com'
const ATTACKER = 'https://attacker.example'

interface Sent {
  readonly method?: string
  readonly path?: string
  readonly site?: string
  readonly origin?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Returns an application that responds with 200 on every path below `/`. */
function appWith(options?: CsrfOptions): App {
  const app = new App()
  app.router.use(csrf(options))
  app.router.all('/bypass/*path', { csrf: false }, () => 'ok').all('/only/:foo', { csrf: false }, () => 'ok')
  app.router.all('/', () => 'ok').all('/api/*path', { csrf: true }, () => 'ok')
  app.router.all('/admin', () => 'ok')
  return app
}

async function statusOf(app: App, { method = 'POST', path = '/', site, origin, headers }: Sent): Promise<number> {
  const fields = {
    host: HOST,
    ...(site === undefined ? {} : { 'sec-fetch-site': site }),
    ...(origin === undefined ? {} : { origin }),
    ...headers,
  }
  return (await app.fetch(path, { method, headers: fields })).status
}

describe('csrf()', () => {
  // The cases from `csrf_test.go` in Go 1.25.
  it.each<[string, Sent, number]>([
    ['passes same-origin', { site: 'same-origin' }, 200],
    ['passes none', { site: 'none' }, 200],
    ['refuses cross-site', { site: 'cross-site' }, 403],
    ['refuses same-site', { site: 'same-site' }, 403],
    ['passes neither field', {}, 200],
    ['passes an origin that matches the host', { origin: 'https://example.com' }, 200],
    ['refuses a foreign origin', { origin: ATTACKER }, 403],
    ['refuses the origin null', { origin: 'null' }, 403],
    ['passes GET', { method: 'GET', site: 'cross-site' }, 200],
    ['passes HEAD', { method: 'HEAD', site: 'cross-site' }, 200],
    ['passes OPTIONS', { method: 'OPTIONS', site: 'cross-site' }, 200],
    ['refuses PUT', { method: 'PUT', site: 'cross-site' }, 403],
  ])('%s when given %j', async (_, sent, status) => {
    expect(await statusOf(appWith(), sent)).toBe(status)
  })

  it.each<[string, Sent, number]>([
    ['passes it without Sec-Fetch-Site', { origin: 'https://trusted.example' }, 200],
    ['passes it with cross-site', { origin: 'https://trusted.example', site: 'cross-site' }, 200],
    ['refuses a foreign origin without Sec-Fetch-Site', { origin: ATTACKER }, 403],
    ['refuses a foreign origin with cross-site', { origin: ATTACKER, site: 'cross-site' }, 403],
    ['passes an origin that matches the host', { origin: 'https://example.com' }, 200],
    ['refuses it with a different scheme', { origin: 'http://trusted.example', site: 'cross-site' }, 403],
    ['refuses it with a different port', { origin: 'https://trusted.example:8443', site: 'cross-site' }, 403],
    ['refuses a subdomain', { origin: 'https://a.trusted.example', site: 'cross-site' }, 403],
    ['refuses a longer host', { origin: 'https://trusted.example.attacker.example', site: 'cross-site' }, 403],
    ['refuses two origins', { origin: 'https://trusted.example, https://trusted.example', site: 'cross-site' }, 403],
  ])('trusts one origin and %s, given %j', async (_, sent, status) => {
    expect(await statusOf(appWith({ trustedOrigins: ['https://trusted.example'] }), sent)).toBe(status)
  })

  it.each<[string, number, string?]>([
    ['/bypass/', 200],
    ['/bypass/', 200, 'cross-site'],
    ['/api/', 403],
    ['/api/', 403, 'cross-site'],
    // `fetch()` resolves the dots, as browsers do. Go redirects a path without its trailing slash; here, such a path has no
    // route.
    ['/foo/../bypass/bar', 200],
    ['/bypass', 403],
    ['/foo/../api/bar', 403],
    ['/api', 403],
    ['/only/123', 200],
    ['/only/123/foo', 403],
  ])('exempts routes with csrf: false: answers %s with %i', async (path, status, site) => {
    expect(await statusOf(appWith(), { path, origin: ATTACKER, ...(site === undefined ? {} : { site }) })).toBe(status)
  })

  // Ports, as in tower-http's tests.
  it.each<[string, string, number]>([
    ['https://example.com:8443', 'example.com:8443', 200],
    ['http://example.com:8080', 'example.com:8080', 200],
    ['https://example.com:8443', 'example.com', 403],
    ['https://example.com', 'example.com:8443', 403],
    ['https://example.com:8443', 'example.com:9443', 403],
    ['http://[::1]:8080', '[::1]:8080', 200],
    ['http://[::1]:8080', '[::1]', 403],
    ['http://localhost:3000', 'localhost:3000', 200],
    ['http://localhost:3000', '127.0.0.1:3000', 403],
    ['example.com', 'example.com', 403],
    ['https://example.com/', 'example.com', 403],
    ['https://user@example.com', 'example.com', 403],
    ['https://example.com.attacker.example', 'example.com', 403],
    ['https://attackerexample.com', 'example.com', 403],
  ])('responds to the origin %s on the host %s with %i', async (origin, host, status) => {
    expect(await statusOf(appWith(), { origin, headers: { host } })).toBe(status)
  })

  it.each<[string, number]>([
    ['https://example.org', 200],
    ['https://internal', 403],
    ['https://attacker.example', 403],
  ])('responds to the origin %s with %i if a trusted proxy reports the host example.org', async (origin, status) => {
    const app = new App({ trustProxy: { proxies: 1, header: 'x-forwarded-for', origin: ['host'] } })
    app.router.use(csrf()).post('/', () => 'ok')
    expect(await statusOf(app, { origin, headers: { host: 'internal', 'x-forwarded-host': 'example.org' } })).toBe(
      status,
    )
  })

  it.each<[string, Sent, number]>([
    [
      'passes a page without referrer that posts to itself (rails#28299, better-auth#10944)',
      { site: 'same-origin', origin: 'null' },
      200,
    ],
    ['refuses a sandboxed frame', { site: 'cross-site', origin: 'null' }, 403],
    [
      'refuses a foreign site that forwards an origin that matches the host',
      { site: 'cross-site', origin: 'https://example.com' },
      403,
    ],
    ['refuses an unknown value', { site: 'Same-Origin' }, 403],
    ['refuses two values', { site: 'same-origin, cross-site' }, 403],
    ['compares Origin if Sec-Fetch-Site is empty', { site: '', origin: ATTACKER }, 403],
    ['passes an empty Origin', { origin: '' }, 200],
    ['refuses DELETE', { method: 'DELETE', site: 'cross-site' }, 403],
    ['refuses PATCH', { method: 'PATCH', site: 'cross-site' }, 403],
    ['refuses an unknown method', { method: 'REPORT', site: 'cross-site' }, 403],
    ['refuses a path without a route', { path: '/nowhere', site: 'cross-site' }, 403],
    ['refuses an encoded path', { path: '/%61dmin', site: 'cross-site' }, 403],
  ])('%s when given %j', async (_, sent, status) => {
    expect(await statusOf(appWith(), sent)).toBe(status)
  })

  it.each([undefined, '', 'application/json', 'text/plain', 'Text/Plain', 'multipart/form-data; boundary=x', 'x'])(
    'refuses the content type %j (GHSA-2234-fmw7-43wr: hono accepted all but form types)',
    async (type) => {
      const sent: Sent = { site: 'cross-site', ...(type === undefined ? {} : { headers: { 'content-type': type } }) }
      expect(await statusOf(appWith(), sent)).toBe(403)
    },
  )

  it('answers with a problem document', async () => {
    const headers = { host: HOST, 'sec-fetch-site': 'cross-site' }
    const response = await appWith().fetch('/', { method: 'POST', headers })
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({ status: 403, detail: 'A page from another site sent the request' })
  })

  it('throws an error with a code to error handlers', async () => {
    const app = new App()
    app.router.use(csrf())
    app.router.onError((error) => String((error as { code?: unknown }).code))
    app.router.post('/', () => 'ok')
    const response = await app.fetch('/', { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } })
    expect(response.status).toBe(403)
    expect(await response.text()).toBe('FW_CROSS_SITE_REQUEST')
  })
})

describe('onRefused', () => {
  it('responds instead and receives the field that caused the refusal', async () => {
    const seen: unknown[] = []
    const app = appWith({
      onRefused: (ctx, refusal) => {
        seen.push(ctx.path, refusal)
        return ctx.text('custom error', { status: 418 })
      },
    })
    const headers = { host: HOST, 'sec-fetch-site': 'same-site', origin: 'https://other.example.com' }
    const response = await app.fetch('/api/x', { method: 'POST', headers })
    expect([response.status, await response.text()]).toEqual([418, 'custom error'])
    expect(await statusOf(app, { path: '/', origin: ATTACKER })).toBe(418)
    expect(await statusOf(app, { method: 'GET', site: 'cross-site' })).toBe(200)
    expect(seen).toEqual([
      '/api/x',
      { field: 'sec-fetch-site', value: 'same-site' },
      '/',
      { field: 'origin', value: ATTACKER },
    ])
  })

  it.each([() => undefined, async () => undefined])(
    'keeps the 403 if it returns no response: %s',
    async (onRefused) => {
      expect(await statusOf(appWith({ onRefused }), { site: 'cross-site' })).toBe(403)
    },
  )
})

describe('the options of csrf()', () => {
  // Go's cases for `AddTrustedOrigin`, and ports.
  it.each(['https://example.com', 'https://example.com:8080', 'http://example.com'])(
    'accepts the origin %s',
    (origin) => {
      expect(() => csrf({ trustedOrigins: [origin] })).not.toThrow()
    },
  )

  it.each([
    'example.com',
    'https://',
    'https://example.com/',
    'https://example.com/path',
    'https://example.com?query=value',
    'https://example.com#fragment',
    'https://ex ample.com',
    '',
    'null',
    'https://*.example.com',
    'https://example.com:443',
  ])('refuses the origin %j', (origin) => {
    expect(() => csrf({ trustedOrigins: [origin] })).toThrow(`csrf: option "trustedOrigins[0]" must be an origin`)
  })

  it.each<[unknown, string]>([
    [
      { trustedOrigins: 'https://a.example' },
      'csrf: option "trustedOrigins" must be a list of origins, got "https://a',
    ],
    [{ upgrades: 'no' }, 'csrf: option "upgrades" must be true or false, got "no".'],
    [{ onRefused: 403 }, 'csrf: option "onRefused" must be a function, got 403.'],
    [{ origin: [] }, 'csrf: unknown option "origin". Use trustedOrigins instead.'],
    [{ secret: 'x' }, 'csrf: unknown option "secret". Known options: trustedOrigins, upgrades, onRefused.'],
  ])('refuses %j', (options, message) => {
    expect(() => csrf(options as CsrfOptions)).toThrow(message)
  })

  it('refuses any value except true and false for the route option', () => {
    const message = 'option "csrf" must be true or false, got "no".'
    expect(() => new App().router.post('/', { csrf: 'no' as never }, () => 'ok')).toThrow(message)
  })
})
