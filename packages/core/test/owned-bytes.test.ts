import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import * as log from '@fw/log'
import { testCertificate, type ServerDemand } from '@fw/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { Server, type Context } from '../src/index.ts'
import { everyWay } from './every-way.ts'

/** Every way in which a handler can read request bytes. */
const READERS: Readonly<Record<string, (ctx: Context) => AsyncIterable<Uint8Array>>> = {
  async *'ctx.bytes()'(ctx) {
    yield await ctx.bytes()
  },
  'ctx.stream()': (ctx) => ctx.stream(),
  async *'ctx.stream().tee()'(ctx) {
    const [first, second] = ctx.stream().tee()
    void second.cancel()
    yield* first
  },
  async *'ctx.request.arrayBuffer()'(ctx) {
    yield new Uint8Array(await ctx.request.arrayBuffer())
  },
  async *'ctx.request.bytes()'(ctx) {
    yield await ctx.request.bytes()
  },
  async *'ctx.request.blob()'(ctx) {
    const blob = await ctx.request.blob()
    yield new Uint8Array(await blob.arrayBuffer())
  },
  async *'ctx.request.body'(ctx) {
    if (ctx.request.body !== null) yield* ctx.request.body
  },
  async *'ctx.request.clone()'(ctx) {
    yield await ctx.request.clone().bytes()
  },
}

const PART_READERS: typeof READERS = {
  async *'part.bytes()'(ctx) {
    for await (const part of ctx.parts()) yield await part.bytes()
  },
  async *'a loop over the part'(ctx) {
    for await (const part of ctx.parts()) yield* part
  },
}

const SIZES = [1, 1000, 5000, 20_000, 70_000]
const BOUNDARY = 'b'
const [HEAD, TAIL] = [`--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"\r\n\r\n`, `\r\n`]

beforeAll(() => log.setSinks([]))

/** Transfers the memory of some bytes. Returns their number, and the number of other bytes in that memory. */
function transfer(bytes: Uint8Array): [taken: number, others: number] {
  const others = bytes.buffer.byteLength - bytes.byteLength
  const { length } = structuredClone(bytes, { transfer: [bytes.buffer as ArrayBuffer] })
  return [length, others]
}

async function start({ tls, http3 }: ServerDemand) {
  const server = new Server({ ...(tls && { tls: { key: tls.key, cert: tls.cert } }), http3 })
  server.router().post('/:reader', async (ctx) => {
    const read = { ...READERS, ...PART_READERS }[ctx.params.reader]
    if (read === undefined) return ctx.notFound()
    const sums = [0, 0]
    for await (const bytes of read(ctx)) for (const [at, count] of transfer(bytes).entries()) sums[at]! += count
    return sums
  })
  const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port })
}

everyWay('the memory of a request body', start, (client) => {
  const post = async (reader: string, body: string, type: string): Promise<unknown> => {
    const path = `/${encodeURIComponent(reader)}`
    const headers = [['content-type', type]] as const
    return (await client().request({ method: 'POST', path, headers, body })).json()
  }

  it.each(Object.keys(READERS))('contains no other data and can be transferred: %s', async (reader) => {
    const reads = SIZES.map((size) => post(reader, 'x'.repeat(size), 'text/plain'))
    expect(await Promise.all(reads)).toEqual(SIZES.map((size) => [size, 0]))
    expect(await post(reader, '', 'text/plain')).toEqual([0, 0])
  })

  it.each(Object.keys(PART_READERS))('contains no other data and can be transferred: %s', async (reader) => {
    const type = `multipart/form-data; boundary=${BOUNDARY}`
    // Each body has two parts that arrive together. Transferring the memory of the first part must not detach the
    // second.
    const bodies = SIZES.map((size) => `${HEAD}${'x'.repeat(size)}${TAIL}`.repeat(2) + `--${BOUNDARY}--\r\n`)
    const reads = bodies.map((body) => post(reader, body, type))
    expect(await Promise.all(reads)).toEqual(SIZES.map((size) => [2 * size, 0]))
  })
})

describe.each([false, true])('the memory of the first bytes of an upgraded connection (TLS: %s)', (isSecure) => {
  it.each(['', 'x', 'x'.repeat(5000)])('contains no other data and can be transferred: %j', async (first) => {
    const { key, cert } = await testCertificate()
    await using server = new Server(isSecure ? { tls: { key, cert } } : {})
    const heads: unknown[] = []
    server
      .router()
      .get('/', () => 'hello')
      .get('/upgrade', (ctx) => {
        const upgraded = ctx.exchange.upgrade?.()
        if (upgraded === undefined) return
        heads.push(transfer(upgraded.head))
        upgraded.socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')
      })
    const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
    const options = { port, host: '127.0.0.1' }
    const socket = isSecure ? connectTls({ ...options, rejectUnauthorized: false }) : connectTcp(options)
    await once(socket, isSecure ? 'secureConnect' : 'connect')
    const upgrade = 'GET /upgrade HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'
    // The second request on a connection without TLS is read into memory that all connections share.
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'data')
    socket.write(`${upgrade}${first}`)
    await expect.poll(() => heads).toEqual([[first.length, 0]])
    socket.destroy()
  })
})
