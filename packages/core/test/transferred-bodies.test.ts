import * as log from '@fw/log'
import { eachProtocol, rawExchange, testCertificate, type RunningServer, type ServerDemand } from '@fw/testing'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { Server } from '../src/index.ts'

/** Body sizes below and above the sizes of shared buffers. Transferring a body must not detach other received bytes. */
const SIZES = [1, 1000, 5000, 20_000, 70_000]

/** Transfers the memory of `bytes`. Returns the number of transferred bytes and the number of remaining ones. */
function transfer(bytes: Uint8Array): [gone: number, left: number] {
  const moved = structuredClone(bytes, { transfer: [bytes.buffer as ArrayBuffer] })
  return [moved.byteLength, bytes.byteLength]
}

async function start({ tls, http3 }: ServerDemand): Promise<RunningServer & Server> {
  const server = new Server({ ...(tls && { tls: { key: tls.key, cert: tls.cert } }), http3 })
  server
    .router()
    .get('/', () => 'hello')
    .post('/whole', async (ctx) => transfer(await ctx.bytes()))
    .post('/pieces', async (ctx) => {
      let bytes = 0
      for await (const piece of ctx.stream()) {
        const [gone] = transfer(piece)
        bytes += gone
      }
      return bytes
    })
  const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port })
}

beforeAll(() => log.setSinks([]))

eachProtocol('a handler that transfers the memory of a body', start, (client) => {
  const post = async (path: string, body: string): Promise<unknown> => {
    const response = await client().request({ method: 'POST', path, body })
    return JSON.parse(await response.text())
  }

  it.each(SIZES)('receives a whole body of length %i', async (size) => {
    expect(await post('/whole', 'x'.repeat(size))).toEqual([size, 0])
  })

  it('receives a body piece by piece without affecting other requests', async () => {
    for (let round = 0; round < 3; round++) {
      const asked = SIZES.map((size) => [size, post('/pieces', 'x'.repeat(size))] as const)
      for (const [size, response] of asked) expect(await response).toBe(size)
    }
    expect(await (await client().request({ path: '/' })).text()).toBe('hello')
  })
})

describe.each([false, true])('a request after a body whose memory is transferred (TLS: %s)', (isSecure) => {
  it.each(SIZES)('receives a response if it arrived together with a body of length %i', async (size) => {
    const server = await start({ tls: isSecure ? await testCertificate() : undefined, http3: false })
    onTestFinished(() => server.close({ drainMs: 0 }))
    const next = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
    for (const path of ['/whole', '/pieces']) {
      const body = 'x'.repeat(size)
      const post = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n${body}${next}`
      const chunked = `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n${body}\r\n1\r\nx\r\n0\r\n\r\n${next}`
      for (const wire of [post, chunked]) {
        const { text } = await rawExchange(server.port, wire, { tls: isSecure, until: (all) => all.endsWith('hello') })
        expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(2)
      }
    }
  })
})
