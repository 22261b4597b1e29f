import { eachProtocol, type ServerDemand } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { type FwErrorCode, Server, StartupError } from '../src/index.ts'

/** Codes of the errors that an error handler received. */
const codes: unknown[] = []

async function start({ tls, http3 }: ServerDemand): Promise<Server & { port: number }> {
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3 })
  const router = server.router()
  router.onError((error) => void codes.push((error as { readonly code?: unknown }).code))
  router
    .post('/small', { limits: { maxBodyBytes: 3 } }, (ctx) => ctx.text())
    .post('/json', (ctx) => ctx.json())
    .get('/header', (ctx) => {
      ctx.responseHeaders.set('x-name', 'a\r\nb: c')
      return 'hello'
    })
    .get('/body', () => new Map())
    .get('/slow', { timeoutMs: 5 }, () => new Promise(() => {}))
  const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port })
}

eachProtocol('an error code', start, (client) => {
  it.each([
    ['POST', '/small', 413, 'FW_BODY_TOO_LARGE'],
    ['POST', '/json', 415, 'FW_UNSUPPORTED_TYPE'],
    ['GET', '/header', 500, 'FW_INVALID_HEADER'],
    ['GET', '/body', 500, 'FW_INVALID_BODY'],
    ['GET', '/slow', 503, 'FW_ROUTE_TIMEOUT'],
  ] as const)('reaches the error handler of %s %s, and never the client', async (method, path, status, code) => {
    codes.length = 0
    const body = method === 'POST' ? { body: 'hello' } : {}
    const response = await client().request({ method, path, ...body })
    expect(response.status).toBe(status)
    expect(codes).toEqual([code])
    expect(JSON.stringify([...response.headers]) + (await response.text())).not.toContain('FW_')
  })
})

describe('StartupError', () => {
  it('has a code of the exported type', async () => {
    await using first = new Server()
    const { port = 0 } = await first.listen({ port: 0, host: '127.0.0.1' })
    await using second = new Server()
    const error: unknown = await second.listen({ port, host: '127.0.0.1' }).catch((reason: unknown) => reason)
    const code: FwErrorCode | undefined = error instanceof StartupError ? error.code : undefined
    expect(code).toBe('FW_ADDRESS_IN_USE')
    await expect(second.listen({ port: 0, host: '203.0.113.1' })).rejects.toMatchObject({ code: 'FW_LISTEN_FAILED' })
  })
})
