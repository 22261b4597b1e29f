import { App } from '@fw/core'
import helmet from 'helmet'
import { describe, expect, it } from 'vitest'
import { csp } from './csp.ts'
import { CspNonce } from './csp-nonce.ts'
import type { SecurityHeadersOptions } from './options.ts'
import { securityHeaders } from './security-headers.ts'

const DEFAULTS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}
const HSTS = { 'strict-transport-security': 'max-age=31536000' }

/** Returns the header fields of a response, without those that describe its body. */
async function fieldsOf(options?: SecurityHeadersOptions, url = '/'): Promise<Record<string, string>> {
  const app = new App()
  app.router.use(securityHeaders(options)).get('/', (ctx) => ctx.empty())
  const { headers } = await app.fetch(url)
  headers.delete('date')
  return Object.fromEntries(headers)
}

/** Returns the fields that helmet sets, with names in lower case. */
async function helmetFields(options: Parameters<typeof helmet>[0]): Promise<Record<string, string>> {
  const fields: Record<string, string> = {}
  const response = {
    setHeader: (name: string, value: string) => (fields[name.toLowerCase()] = value),
    removeHeader: () => {},
  }
  await new Promise((resolve) => helmet(options)({} as never, response as never, resolve))
  return fields
}

describe('securityHeaders()', () => {
  it('sets the defaults', async () => {
    expect(await fieldsOf()).toEqual(DEFAULTS)
  })

  it('sets Strict-Transport-Security only over TLS', async () => {
    expect(await fieldsOf({}, 'https://example.org/')).toEqual({ ...DEFAULTS, ...HSTS })
    expect(await fieldsOf({}, 'http://example.org/')).toEqual(DEFAULTS)
    expect(await fieldsOf({ hsts: false }, 'https://example.org/')).toEqual(DEFAULTS)
    expect(await fieldsOf({ hsts: { behindTlsProxy: true } }, 'http://example.org/')).toEqual({ ...DEFAULTS, ...HSTS })
  })

  it('sets Strict-Transport-Security if a trusted proxy reports TLS', async () => {
    const app = new App({ trustProxy: { proxies: 1, header: 'x-forwarded-for', origin: ['scheme'] } })
    app.router.use(securityHeaders()).get('/', (ctx) => ctx.empty())
    const sent = async (scheme: string): Promise<boolean> => {
      const { headers } = await app.fetch('/', { headers: { 'x-forwarded-proto': scheme } })
      return headers.has('strict-transport-security')
    }
    expect([await sent('https'), await sent('http')]).toEqual([true, false])
  })

  it.each<[SecurityHeadersOptions, Record<string, string>]>([
    [{ frame: 'DENY' }, { 'x-frame-options': 'DENY' }],
    [{ referrer: 'no-referrer' }, { 'referrer-policy': 'no-referrer' }],
    [{ coop: 'same-origin-allow-popups' }, { 'cross-origin-opener-policy': 'same-origin-allow-popups' }],
    [{ coep: 'require-corp' }, { 'cross-origin-embedder-policy': 'require-corp' }],
    [{ corp: 'cross-origin' }, { 'cross-origin-resource-policy': 'cross-origin' }],
    [
      { permissions: { camera: [], geolocation: ['self', 'https://maps.example'], fullscreen: '*' } },
      { 'permissions-policy': 'camera=(), geolocation=(self "https://maps.example"), fullscreen=*' },
    ],
    [
      { reporting: { default: 'https://r.example/?a=b', csp: '/reports' } },
      { 'reporting-endpoints': 'default="https://r.example/?a=b", csp="/reports"' },
    ],
    [{ csp: csp({ 'default-src': ['self'] }) }, { 'content-security-policy': "default-src 'self'" }],
    [
      { cspReportOnly: csp({ 'default-src': ['self'], 'report-to': 'csp' }) },
      { 'content-security-policy-report-only': "default-src 'self'; report-to csp" },
    ],
  ])('formats %j', async (options, fields) => {
    expect(await fieldsOf(options)).toEqual({ ...DEFAULTS, ...fields })
  })

  it.each<[SecurityHeadersOptions['hsts'], string]>([
    [{}, 'max-age=31536000'],
    [{ maxAgeSeconds: 0 }, 'max-age=0'],
    [{ maxAgeSeconds: 63_072_000, includeSubDomains: true }, 'max-age=63072000; includeSubDomains'],
    [{ includeSubDomains: true, preload: true }, 'max-age=31536000; includeSubDomains; preload'],
  ])('formats Strict-Transport-Security for %j', async (hsts, value) => {
    const fields = await fieldsOf(hsts === undefined ? {} : { hsts }, 'https://example.org/')
    expect(fields).toHaveProperty('strict-transport-security', value)
  })

  it('omits fields that are set to false', async () => {
    const off = { hsts: false, frame: false, referrer: false, coop: false, corp: false } as const
    expect(await fieldsOf(off)).toEqual({ 'x-content-type-options': 'nosniff' })
  })

  it('formats fields like helmet if helmet supports them', async () => {
    const theirs = await helmetFields({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          'default-src': ["'self'"],
          'script-src': ["'self'", 'https://cdn.example'],
          'object-src': ["'none'"],
        },
      },
      strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: true, preload: true },
      referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
      crossOriginEmbedderPolicy: { policy: 'credentialless' },
    })
    const ours = await fieldsOf(
      {
        csp: csp({ 'default-src': ['self'], 'script-src': ['self', 'https://cdn.example'], 'object-src': ['none'] }),
        hsts: { includeSubDomains: true, preload: true },
        coep: 'credentialless',
      },
      'https://example.org/',
    )
    // helmet writes policies without spaces after semicolons.
    const policy = theirs['content-security-policy']?.replaceAll(';', '; ')
    expect({ ...theirs, 'content-security-policy': policy }).toMatchObject(ours)
    expect(Object.keys(ours)).toHaveLength(8)
  })

  it.each<[unknown, string]>([
    [{ csp: "default-src 'self'" }, 'securityHeaders: option "csp" must be a policy from csp(), or false'],
    [{ csp: true }, "Write csp({ 'script-src': ['self'] })."],
    [{ hsts: true }, 'option "hsts" must be an object or false, got true.'],
    [{ hsts: { maxAge: 1 } }, 'unknown option "hsts.maxAge". Use hsts.maxAgeSeconds instead.'],
    [{ hsts: { maxAgeSeconds: -1 } }, 'option "hsts.maxAgeSeconds" must be an integer of at least 0, got -1.'],
    [
      { hsts: { preload: true } },
      'option "hsts.preload" must be false without includeSubDomains and a year, got true.',
    ],
    [
      { hsts: { preload: true, includeSubDomains: true, maxAgeSeconds: 86_400 } },
      'option "hsts.preload" must be false',
    ],
    [{ frame: 'ALLOW-FROM x' }, 'option "frame" must be "DENY", "SAMEORIGIN" or false, got "ALLOW-FROM x".'],
    [{ referrer: 'none' }, 'option "referrer" must be "no-referrer", '],
    [{ permissions: { camera: 'none' } }, 'option "permissions" must be an object of features'],
    [{ permissions: { 'camera=*, x': [] } }, 'option "permissions" must be an object of features'],
    [{ permissions: { camera: ['https://a.example")'] } }, 'option "permissions" must be an object of features'],
    [
      { reporting: { default: 'https://a.example/\r\nx: y' } },
      'option "reporting" must be an object of URLs by endpoint name',
    ],
    [
      { reporting: { default: 'https://a.example/",x="' } },
      'option "reporting" must be an object of URLs by endpoint name',
    ],
    [{ reporting: { Default: 'https://a.example/' } }, 'option "reporting" must be an object of URLs by endpoint name'],
    [{ contentSecurityPolicy: {} }, 'unknown option "contentSecurityPolicy". Use csp instead.'],
    [{ xFrameOptions: false }, 'unknown option "xFrameOptions". Use frame instead.'],
  ])('refuses %j', (options, message) => {
    expect(() => securityHeaders(options as SecurityHeadersOptions)).toThrow(message)
  })
})

describe('a handler or an inner securityHeaders()', () => {
  it('replaces a field', async () => {
    const app = new App()
    app.router.use(securityHeaders({ csp: csp({ 'default-src': ['self'] }) }))
    app.router.get('/set', (ctx) => {
      ctx.responseHeaders.set('x-frame-options', 'DENY')
      ctx.responseHeaders.delete('cross-origin-resource-policy')
      return 'ok'
    })
    app.router.get(
      '/response',
      () => new Response('ok', { headers: { 'content-security-policy': "default-src 'none'" } }),
    )
    const inner = app.router.group('/embed').use(securityHeaders({ frame: false, csp: false, corp: 'cross-origin' }))
    inner.get('/', () => 'ok')
    const headersOf = async (path: string): Promise<Headers> => (await app.fetch(path)).headers
    const set = await headersOf('/set')
    expect([set.get('x-frame-options'), set.get('cross-origin-resource-policy')]).toEqual(['DENY', null])
    expect((await headersOf('/response')).get('content-security-policy')).toBe("default-src 'none'")
    const embedded = await headersOf('/embed/')
    expect(embedded.get('x-frame-options')).toBeNull()
    expect(embedded.get('content-security-policy')).toBeNull()
    expect(embedded.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(embedded.get('x-content-type-options')).toBe('nosniff')
  })
})

describe('CspNonce', () => {
  const POLICY = csp({ 'script-src': ['self', CspNonce, 'strict-dynamic'], 'object-src': ['none'] })
  const app = new App()
  app.router.use(securityHeaders({ csp: POLICY, cspReportOnly: csp({ 'style-src': [CspNonce] }) }))
  app.router.get('/page', (ctx) => ctx.html(String(ctx.get(CspNonce))))
  app.router.get('/twice', (ctx) => ctx.html(`${ctx.get(CspNonce)} ${ctx.get(CspNonce)}`))
  app.router.get('/plain', (ctx) => {
    ctx.responseHeaders.set('cache-control', 'public, max-age=60')
    return 'plain'
  })
  app.router.get('/cached', (ctx) => {
    ctx.responseHeaders.set('cache-control', 'public, max-age=60')
    return ctx.html(String(ctx.get(CspNonce)))
  })
  app.router.get('/later', (ctx) => {
    ctx.html(String(ctx.get(CspNonce)))
    ctx.responseHeaders.set('cache-control', 'max-age=60, no-storesque')
  })
  app.router.get('/strict', (ctx) => {
    ctx.responseHeaders.set('cache-control', 'no-store')
    return ctx.html(String(ctx.get(CspNonce)))
  })
  app.router.get('/own', (ctx) => {
    ctx.responseHeaders.set('content-security-policy', "script-src 'none'")
    return ctx.html(String(ctx.get(CspNonce)))
  })
  app.router.get('/failing', (ctx) => {
    throw new Error(String(ctx.get(CspNonce)))
  })
  app.router.get('/late', async (ctx) => {
    const body = ctx.startResponse()
    try {
      ctx.get(CspNonce)
    } catch (error) {
      body.write(Buffer.from(`${String((error as { code?: unknown }).code)} ${String(error)}`))
    }
  })

  const send = async (
    path: string,
  ): Promise<{ body: string; policy: string | null; report: string | null; cache: string | null }> => {
    const response = await app.fetch(path)
    const { headers } = response
    return {
      body: await response.text(),
      policy: headers.get('content-security-policy'),
      report: headers.get('content-security-policy-report-only'),
      cache: headers.get('cache-control'),
    }
  }

  it('is added to every policy in the response when it is read: helmetjs/csp#19', async () => {
    const { body: nonce, policy, report } = await send('/page')
    expect(Buffer.from(nonce, 'base64url')).toHaveLength(16)
    expect(policy).toBe(`script-src 'self' 'nonce-${nonce}' 'strict-dynamic'; object-src 'none'`)
    expect(report).toBe(`style-src 'nonce-${nonce}'`)
  })

  it('differs in every response but remains the same within one response', async () => {
    const [first, second] = [await send('/page'), await send('/page')]
    expect(first.body).not.toBe(second.body)
    const [once, again] = (await send('/twice')).body.split(' ')
    expect(once).toBe(again)
  })

  it('keeps the response out of caches: NetEscapades#117', async () => {
    for (const path of ['/page', '/cached', '/later']) expect((await send(path)).cache).toBe('private, no-store')
    expect((await send('/strict')).cache).toBe('no-store')
    expect((await send('/failing')).cache).toBe('private, no-store')
  })

  it('leaves the policy and caching unchanged if it is not read', async () => {
    expect(await send('/plain')).toEqual({
      body: 'plain',
      policy: "script-src 'self' 'strict-dynamic'; object-src 'none'",
      report: "style-src 'none'",
      cache: 'public, max-age=60',
    })
  })

  it("keeps the handler's policy", async () => {
    expect((await send('/own')).policy).toBe("script-src 'none'")
  })

  it('throws after the head was sent', async () => {
    const message = 'CspNonce: the response head has been sent. Read the nonce before the response starts.'
    expect((await send('/late')).body).toBe(`FW_RESPONSE_SENT Error: ${message}`)
  })

  it('is null if no policy contains it', async () => {
    const other = new App()
    other.router
      .use(securityHeaders({ csp: csp({ 'script-src': ['self'] }) }))
      .get('/', (ctx) => String(ctx.get(CspNonce)))
    expect(await (await other.fetch('/')).text()).toBe('null')
  })
})
