import { once } from 'node:events'
import * as http from 'node:http'
import type { AddressInfo } from 'node:net'
import * as log from '@fw/log'
import { connect, eachProtocol, type ProtocolClient, type ServerDemand } from '@fw/testing'
import type { Router } from '@fw/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { App } from '../src/app/app.ts'
import { Server, toFetchHandler, toNodeHandler } from '../src/index.ts'

const FORM = 'application/x-www-form-urlencoded'
const Body = z.object({ a: z.coerce.number() })

function register(router: Router): void {
  router
    .post('/json', async (ctx) => ctx.json(await ctx.json()))
    .post('/request', async (ctx) => ctx.json(await ctx.request.json()))
    .post('/clone', async (ctx) => ctx.json(await ctx.request.clone().clone().json()))
    .post('/request/hook', { bodyTypes: ['text/plain'] }, async (ctx) => ctx.json(await ctx.request.json()))
    .post('/request/any', { bodyTypes: ['*/*'] }, async (ctx) => ctx.json(await ctx.request.clone().json()))
    .post('/request/text', async (ctx) => ctx.json(JSON.parse(await ctx.request.text())))
    .post('/schema', { body: Body }, (ctx) => ctx.valid.body)
    .post('/forms', { body: Body, bodyTypes: ['application/json', FORM] }, (ctx) => ctx.valid.body)
    .post('/hook', { bodyTypes: ['application/json', 'text/plain'] }, async (ctx) => ctx.json(await ctx.json()))
    .post('/any', { body: Body, bodyTypes: ['*/*'] }, (ctx) => ctx.valid.body)
}

type Row = [path: string, contentType: string | undefined, body: string, status: number, accept?: string]

const JSON_TEXT = '{"a":1}'
const ROWS: readonly Row[] = [
  ...['/json', '/schema', '/request', '/clone'].flatMap((path): Row[] => [
    [path, 'application/json', JSON_TEXT, 200],
    [path, 'application/json; charset=utf-8', JSON_TEXT, 200],
    [path, 'Application/Merge-Patch+JSON', JSON_TEXT, 200],
    [path, 'application/json; charset=iso-8859-1', JSON_TEXT, 415],
    // A form on another site can send these with the user's cookies.
    [path, 'text/plain', JSON_TEXT, 415, 'application/json'],
    [path, 'text/plain; x=application/json', JSON_TEXT, 415, 'application/json'],
    [path, FORM, 'a=1', 415, 'application/json'],
    [path, 'multipart/form-data; boundary=x', JSON_TEXT, 415, 'application/json'],
    [path, undefined, JSON_TEXT, 415, 'application/json'],
  ]),
  ...['/json', '/schema'].flatMap((path): Row[] => [
    [path, undefined, '', 400],
    [path, 'application/json', '', 400],
  ]),
  ['/request/hook', 'text/plain; charset=UTF-8', JSON_TEXT, 200],
  ['/request/hook', 'application/json', JSON_TEXT, 415, 'text/plain'],
  ['/request/any', undefined, JSON_TEXT, 200],
  ['/request/any', FORM, JSON_TEXT, 200],
  ['/request/text', 'text/plain', JSON_TEXT, 200],
  ['/forms', 'application/json', JSON_TEXT, 200],
  ['/forms', FORM, 'a=1', 200],
  ['/forms', `${FORM}; charset=UTF-8`, 'a=1', 200],
  ['/forms', `${FORM}; charset=utf-16`, 'a=1', 415],
  ['/forms', 'text/plain', JSON_TEXT, 415, `application/json, ${FORM}`],
  ['/hook', 'text/plain; charset=UTF-8', JSON_TEXT, 200],
  ['/hook', FORM, JSON_TEXT, 415, 'application/json, text/plain'],
  ['/any', 'text/plain', JSON_TEXT, 200],
  ['/any', FORM, JSON_TEXT, 200],
  ['/any', undefined, JSON_TEXT, 200],
]

function suite(send: (path: string, type: string | undefined, body: string) => Promise<Response>): void {
  it.each(ROWS)(
    'responds to POST %s with type %s and body %j with status %i',
    async (path, type, body, status, accept) => {
      const response = await send(path, type, body)
      expect(response.status).toBe(status)
      expect(response.headers.get('accept')).toBe(accept ?? null)
      const isRead = status === 200
      expect(response.headers.get('content-type')).toBe(isRead ? 'application/json' : 'application/problem+json')
      expect(await response.json()).toMatchObject(isRead ? { a: 1 } : { status })
    },
  )
}

function through(client: () => ProtocolClient) {
  return async (path: string, type: string | undefined, body: string): Promise<Response> => {
    const fields: readonly [string, string][] = type === undefined ? [] : [['content-type', type]]
    const response = await client().request({ method: 'POST', path, headers: fields, body })
    const { status, headers } = response
    return new Response(await response.text(), { status, headers })
  }
}

async function start({ tls, http3 }: ServerDemand): Promise<{ port: number; close(): Promise<void> }> {
  const server = new Server({ ...(tls && { tls: { key: tls.key, cert: tls.cert } }), http3 })
  register(server.router())
  const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { port, close: () => server.close() }
}

beforeAll(() => log.setSinks([]))

eachProtocol('a body type', start, (client) => suite(through(client)))

describe('a body type, through toNodeHandler', () => {
  let server: http.Server
  let client: ProtocolClient
  beforeAll(async () => {
    const app = new App()
    register(app.router)
    server = http.createServer(toNodeHandler(app.router)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    client = await connect('h1', { port: (server.address() as AddressInfo).port })
  })
  afterAll(async () => {
    await client.close()
    await new Promise((resolve) => server.close(resolve))
  })
  suite(through(() => client))
})

describe('a body type, through toFetchHandler', () => {
  const app = new App()
  register(app.router)
  const handler = toFetchHandler(app.router)
  suite((path, type, body) => {
    // Send bytes, because a Request sets a type for text.
    const init = { method: 'POST', body: body === '' ? null : Buffer.from(body) }
    const headers = type === undefined ? {} : { 'content-type': type }
    return handler(new Request(`http://localhost${path}`, { ...init, headers }))
  })
})

describe("a server's bodyTypes", () => {
  const server = new Server({ bodyTypes: ['application/json', FORM] })
  register(server.router())
  server.router().post('/strict', { body: Body, bodyTypes: ['application/json'] }, (ctx) => ctx.valid.body)

  it.each([
    ['/schema', 200],
    ['/strict', 415],
  ])('applies to %s with status %i, unless a route has its own list', async (path, status) => {
    const response = await server.fetch(path, { method: 'POST', body: new URLSearchParams({ a: '1' }) })
    expect(response.status).toBe(status)
  })

  it('must be a list of media types', () => {
    expect(() => new Server({ bodyTypes: ['JSON'] })).toThrow(
      'Server: option "bodyTypes[0]" must be a media type in lower case without parameters, got "JSON".',
    )
  })
})
