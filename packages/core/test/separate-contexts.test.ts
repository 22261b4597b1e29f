import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Exchange } from '@fw/types'
import { describe, expect, it, onTestFinished } from 'vitest'
import { headers } from './http2/hpack.ts'
import { RawClient, request } from './http2/raw-client.ts'
import { serveEngines } from './serve-engines.ts'
import { serveHttp3 } from './serve-http3.ts'
import { current } from './serve-in-contexts.ts'

type Handle = (exchange: Exchange) => void

/** For each protocol, sends three requests that the server receives together. */
const TOGETHER: Readonly<Record<string, (handle: Handle) => Promise<void>>> = {
  'HTTP/1.1': async (handle) => {
    const { port } = await serveEngines(handle)
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.resume().write(['/1', '/2', '/3'].map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''))
  },
  'HTTP/2': async (handle) => {
    const { port } = await serveEngines(handle)
    const client = await RawClient.connect(port)
    client.send(...[1, 3, 5].map((id) => headers(id, request('GET', `/${id}`))))
  },
  'HTTP/3': async (handle) => {
    const server = await serveHttp3(handle)
    onTestFinished(() => server[Symbol.asyncDispose]())
    const client = await server.connect()
    const responses = await Promise.all(['/1', '/2', '/3'].map((path) => client.request({ path })))
    await Promise.all(responses.map((response) => response.bytes()))
  },
}

describe('the asynchronous context of a request', () => {
  it.each(Object.entries(TOGETHER))(
    'is not visible to requests that are received together with it (%s)',
    async (_name, ask) => {
      const contexts: (string | undefined)[] = []
      await ask((exchange) => {
        contexts.push(current.getStore())
        current.enterWith(exchange.target)
        exchange.respond(200, [], 'hello')
      })
      await expect.poll(() => contexts.length).toBe(3)
      expect(contexts).toEqual([undefined, undefined, undefined])
    },
  )

  it('is not visible to requests that arrive while its response is being sent (HTTP/3)', async () => {
    const contexts: (string | undefined)[] = []
    await using server = await serveHttp3((exchange) => {
      contexts.push(current.getStore())
      // Simulates a database query.
      void current.run(exchange.target, async () => {
        await wait(1)
        exchange.respond(200, [], 'hello')
      })
    })
    const clients = await Promise.all(Array.from({ length: 4 }, () => server.connect()))
    const askOften = clients.map(async (client, n) => {
      for (let i = 0; i < 50; i++) await (await client.request({ path: `/${n}` })).bytes()
    })
    await Promise.all(askOften)
    expect(contexts).toHaveLength(200)
    expect(contexts.filter((context) => context !== undefined)).toEqual([])
  })
})
