import { once } from 'node:events'
import * as http from 'node:http'
import * as http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { rawExchange, type TestField } from '@fw/testing'
import type { Refusal } from '@fw/types'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { App } from '../../src/app/app.ts'
import { toFetchHandler, toNodeHandler } from '../../src/index.ts'
import { block, headers } from '../http2/hpack.ts'
import { RawClient } from '../http2/raw-client.ts'

/** Creates an application that responds with the hosts that a handler receives. */
function reportingApp(): { app: App; refusals: Refusal[] } {
  const app = new App()
  const refusals: Refusal[] = []
  app.router.use(
    Object.assign((_: unknown, next: () => unknown) => next(), { refused: (r: Refusal) => void refusals.push(r) }),
  )
  app.router.all('/*path', (ctx) => `${ctx.exchange.authority} ${ctx.headers.get('host')} ${ctx.request.url}`)
  return { app, refusals }
}

async function listen(server: http.Server | http2.Http2Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

describe('toNodeHandler on HTTP/1.1', () => {
  it.each<[status: number, head: string]>([
    [400, 'GET / HTTP/1.1\r\nHost: a%zz\r\n'],
    [400, 'GET / HTTP/1.1\r\nHost: :80\r\n'],
    [400, 'GET / HTTP/1.1\r\nHost:\r\n'],
    [400, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n'],
    [400, 'GET http://a%zz/ HTTP/1.1\r\nHost: a\r\n'],
    [400, 'GET /a#b HTTP/1.1\r\nHost: a\r\n'],
    [417, 'GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n'],
  ])('responds with %i to %j', async (status, head) => {
    const { app, refusals } = reportingApp()
    const port = await listen(http.createServer(toNodeHandler(app.router)))
    const { text } = await rawExchange(port, `${head}Connection: close\r\n\r\n`, { timeoutMs: 30_000 })
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    // Node.js servers reject unknown expectations themselves.
    expect(refusals).toMatchObject(status === 417 ? [] : [{ status, protocol: 'HTTP/1.1', method: 'GET' }])
  })

  it("replaces Host with the target's authority", async () => {
    const { app } = reportingApp()
    const port = await listen(http.createServer(toNodeHandler(app.router)))
    const wire = 'GET http://a.test/x HTTP/1.1\r\nHost: b.test\r\nConnection: close\r\n\r\n'
    const { text } = await rawExchange(port, wire, { timeoutMs: 30_000 })
    expect(text).toContain('a.test a.test http://a.test/x')
    expect(text).not.toContain('b.test')
  })

  it('passes a request without a route to the next middleware', async () => {
    const { router } = new App()
    const handler = toNodeHandler(router.get('/ours', () => 'ours'))
    const port = await listen(
      http.createServer((request, response) => handler(request, response, () => response.end('theirs'))),
    )
    const ask = async (path: string): Promise<string> =>
      (
        await rawExchange(port, `GET ${path} HTTP/1.1\r\nHost: a%zz\r\nConnection: close\r\n\r\n`, {
          timeoutMs: 30_000,
        })
      ).text
    expect(await ask('/theirs')).toContain('theirs')
    expect(await ask('/ours')).toContain('HTTP/1.1 400')
  })
})

describe('toNodeHandler on HTTP/2', () => {
  it.each<[status: string, fields: readonly TestField[]]>([
    ['400', [[':authority', 'a%zz']]],
    ['400', [[':authority', ':80']]],
    [
      '400',
      [
        [':authority', 'a'],
        ['host', 'b'],
      ],
    ],
    [
      '417',
      [
        [':authority', 'a'],
        ['expect', 'tea'],
      ],
    ],
    [
      '200',
      [
        [':authority', 'a'],
        ['host', 'A'],
      ],
    ],
  ])('responds with %s to %j', async (status, fields) => {
    const { app, refusals } = reportingApp()
    const client = await RawClient.connect(await listen(http2.createServer(toNodeHandler(app.router))))
    const [authority, ...rest] = fields
    const pseudo: TestField[] = [
      [':method', 'GET'],
      [':scheme', 'http'],
      [':path', '/'],
      ...(authority ? [authority] : []),
    ]
    client.send(headers(1, block(...pseudo, ...rest)))
    await vi.waitUntil(() => client.outcome(1) !== undefined, { timeout: 30_000 })
    expect(client.outcome(1)).toBe(`status ${status}`)
    // Node.js servers reject unknown expectations themselves.
    expect(refusals).toMatchObject(status === '400' ? [{ status: 400, protocol: 'HTTP/2.0' }] : [])
  })
})

describe.each(['fetch', 'toFetchHandler'])('%s', (way) => {
  it.each<[status: number, fields: Record<string, string>]>([
    [200, { host: 'a.test:8080' }],
    [400, { host: 'a%zz' }],
    [400, { host: ':80' }],
    [400, { host: 'a, b' }],
    [400, { 'content-length': '5, 5' }],
    [400, { 'content-length': '9007199254740992' }],
    [417, { expect: 'tea' }],
  ])('responds with %i to the fields %j', async (status, fields) => {
    const { app, refusals } = reportingApp()
    const init = { method: 'POST', headers: fields }
    const response =
      way === 'fetch'
        ? await app.fetch('/', init)
        : await toFetchHandler(app.router)(new Request('http://localhost/', init))
    expect(response.status).toBe(status)
    expect(refusals).toMatchObject(status === 200 ? [] : [{ status, method: 'POST', target: '/' }])
  })
})
