import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { sse } from '@fw/sse'
import { eachProtocol, type ServerDemand } from '@fw/testing'
import { beforeAll, expect, it } from 'vitest'
import { csp, CspNonce, securityHeaders } from '../src/index.ts'

beforeAll(() => setSinks([]))

async function start({ tls, http3 }: ServerDemand): Promise<{ port: number; close: () => Promise<void> }> {
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3 })
  const router = server.router().use(securityHeaders({ csp: csp({ 'script-src': [CspNonce] }) }))
  router.get('/whole', () => 'whole')
  router.get('/nonce', (ctx) => ctx.html(String(ctx.get(CspNonce))))
  router.get('/stream', (ctx) => ctx.stream([String(ctx.get(CspNonce))]))
  router.get('/unchanged', (ctx) => ctx.empty(304))
  router.get('/events', async (ctx) => {
    const events = await sse(ctx)
    await events.event('greeting', 'hello')
    events.close()
  })
  router.get('/failing', () => {
    throw new Error('on purpose')
  })
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
}

eachProtocol('securityHeaders()', start, (client, protocol) => {
  const hsts = protocol === 'h1' || protocol === 'h2c' ? null : 'max-age=31536000'

  it.each([
    ['GET', '/whole', 200],
    ['HEAD', '/whole', 200],
    ['GET', '/unchanged', 304],
    ['GET', '/events', 200],
    ['GET', '/failing', 500],
    ['GET', '/nowhere', 404],
    ['PUT', '/whole', 405],
  ])('sets the fields of the response to %s %s', async (method, path, status) => {
    const response = await client().request({ method, path })
    await response.bytes()
    expect(response.status).toBe(status)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('x-frame-options')).toBe('SAMEORIGIN')
    expect(response.headers.get('content-security-policy')).toBe("script-src 'none'")
    expect(response.headers.get('strict-transport-security')).toBe(hsts)
  })

  it.each(['/nonce', '/stream'])('adds the nonce to the policy of %s', async (path) => {
    const response = await client().request({ path })
    const nonce = await response.text()
    expect(nonce).toMatch(/^[\w-]{22}$/)
    expect(response.headers.get('content-security-policy')).toBe(`script-src 'nonce-${nonce}'`)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
  })
})
