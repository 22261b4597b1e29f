import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import * as log from '@fw/log'
import { Server, type Context, type Router } from '@fw/core'
import { eachProtocol, type ServerDemand, type TestField } from '@fw/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { decompress, type RequestCoding } from '../src/request.ts'

const ENCODE: Readonly<Record<RequestCoding, (bytes: Uint8Array | string) => Buffer>> = {
  gzip: gzipSync,
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: zstdCompressSync,
  deflate: deflateSync,
}
const CODINGS = Object.keys(ENCODE) as RequestCoding[]
const KIB = 1024
const MIB = 1024 * KIB
/** A body of 32 MiB in at most 40 KiB, for each coding. */
const BOMBS = new Map(CODINGS.map((coding) => [coding, ENCODE[coding](Buffer.alloc(32 * MIB))]))
/** The limit of the routes below `/limited`, in bytes. */
const MAX_BODY_BYTES = 10 * KIB
const VALUE = { name: 'Ada', tags: ['a', 'b', 'a'] }
const JSON_TEXT = JSON.stringify(VALUE)
const PARTS = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nhello\r\n--b--\r\n'

beforeAll(() => log.setSinks([]))

/** Ways to read a body, with the type and the text that they need and the result that the handler sends. */
const READERS: readonly (readonly [name: string, type: string, text: string, expected: unknown])[] = [
  ['text', 'text/plain', 'hello', 'hello'],
  ['json', 'application/json', JSON_TEXT, VALUE],
  ['bytes', 'application/octet-stream', 'hello', 'hello'],
  [
    'form',
    'application/x-www-form-urlencoded',
    'a=1&b=%20',
    [
      ['a', '1'],
      ['b', ' '],
    ],
  ],
  ['parts', 'multipart/form-data; boundary=b', PARTS, ['file', 'hello']],
  ['stream', 'text/plain', 'hello', 'hello'],
  ['request', 'application/json', JSON_TEXT, [VALUE, null, null]],
  ['valid', 'application/json', JSON_TEXT, VALUE],
]

const READ: Readonly<Record<string, (ctx: Context) => Promise<unknown>>> = {
  text: (ctx) => ctx.text(),
  json: (ctx) => ctx.json(),
  bytes: async (ctx) => String(Buffer.from(await ctx.bytes())),
  form: async (ctx) => [...(await ctx.form())],
  async parts(ctx) {
    const found: string[] = []
    for await (const part of ctx.parts()) found.push(part.name, await part.text())
    return found
  },
  async stream(ctx) {
    const pieces: Uint8Array[] = []
    for await (const piece of ctx.stream()) pieces.push(piece)
    return String(Buffer.concat(pieces))
  },
  request: async ({ request }) => [
    await request.json(),
    request.headers.get('content-encoding'),
    request.headers.get('content-length'),
  ],
}

/** Accepts every value. */
const ANY = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const

function routes(router: Router): void {
  for (const [name, read] of Object.entries(READ)) router.post(`/${name}`, read)
  router.post('/valid', { body: ANY }, (ctx) => ctx.valid.body)
  router.post('/encoded', { decompress: false }, async (ctx) => String((await ctx.bytes()).length))
  router.post('/unread', () => 'unread')
  const limits = { maxBodyBytes: MAX_BODY_BYTES }
  router.post('/limited', { limits }, async (ctx) => String((await ctx.text()).length))
  router.post('/limited-stream', { limits }, async (ctx) => {
    let size = 0
    for await (const piece of ctx.stream()) size += piece.byteLength
    return String(size)
  })
  router.post('/large', { limits: { maxBodyBytes: 64 * MIB } }, async (ctx) => String((await ctx.bytes()).length))
}

function setUp(server: Server): Server {
  routes(server.router().use(decompress()))
  return server
}

interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Sends a body with a coding, in one slice or in slices of unknown total length. */
type Send = (path: string, body: Uint8Array, coding: string, type?: string, sliceBytes?: number) => Promise<Received>

function suite(send: Send): void {
  describe.each(CODINGS)('with %s', (coding) => {
    const encode = ENCODE[coding]

    it.each(READERS)('decodes the body for each reader: %s', async (name, type, text, expected) => {
      const { status, text: result } = await send(`/${name}`, encode(text), coding, type)
      expect([status, typeof expected === 'string' ? result : JSON.parse(result)]).toEqual([200, expected])
    })

    it('decodes a body that arrives byte by byte', async () => {
      expect((await send('/json', encode(JSON_TEXT), coding, 'application/json', 1)).text).toBe(JSON_TEXT)
    })

    it('decodes a body of many pieces', async () => {
      const bytes = Buffer.alloc(500 * KIB, 'abcdefghij')
      expect((await send('/bytes', encode(bytes), coding)).text).toBe(String(bytes))
    })

    it.each(['text', 'stream', 'parts', 'request'])('responds with 400 to a body that ends early: %s', async (name) => {
      const [, type, text] = READERS.find(([reader]) => reader === name) ?? ['', '', '']
      const { status } = await send(`/${name}`, encode(text).subarray(0, -1), coding, type)
      expect(status).toBe(400)
    })

    it.each([
      ['trailing bytes', Buffer.concat([encode('hello'), Buffer.from('x')])],
      ['another format', Buffer.from('hello, world')],
      ['no bytes', Buffer.alloc(0)],
    ])('responds with 400 to %s', async (_, body) => {
      const { status, text } = await send('/text', body, coding)
      expect([status, JSON.parse(text)]).toMatchObject([400, { detail: expect.stringContaining(coding) as unknown }])
    })

    it.each(['/limited', '/limited-stream'])('limits the decoded bytes: %s', async (path) => {
      const accepted = await send(path, encode(Buffer.alloc(MAX_BODY_BYTES)), coding)
      expect([accepted.status, accepted.text]).toEqual([200, String(MAX_BODY_BYTES)])
      expect((await send(path, encode(Buffer.alloc(MAX_BODY_BYTES + 1)), coding)).status).toBe(413)
    })

    it('limits the encoded bytes', async () => {
      // Trailing bytes are decoded last, so only the limit can refuse them first.
      const encoded = encode('hello')
      const body = Buffer.alloc(MAX_BODY_BYTES + 1)
      encoded.copy(body)
      expect((await send('/limited', body, coding)).status).toBe(413)
      expect((await send('/limited', body, coding, undefined, MAX_BODY_BYTES)).status).toBe(413)
      expect((await send('/limited', body.subarray(0, -1), coding)).status).toBe(400)
    })

    it.each(['/text', '/large'])('responds with 413 to a bomb: %s', async (path) => {
      const bomb = BOMBS.get(coding) ?? Buffer.alloc(0)
      expect(bomb.length).toBeLessThan(40 * KIB)
      expect((await send(path, bomb, coding)).status).toBe(413)
    })

    it('does not decode a body that the handler does not read', async () => {
      expect((await send('/unread', Buffer.from('not encoded'), coding)).text).toBe('unread')
    })

    it('leaves the body encoded with the route option decompress: false', async () => {
      const body = encode(JSON_TEXT)
      expect((await send('/encoded', body, coding)).text).toBe(String(body.length))
    })
  })

  it.each(['GZIP', 'x-gzip', ' gzip ', 'identity, gzip'])('decodes gzip with the coding %j', async (coding) => {
    expect((await send('/text', gzipSync('hello'), coding)).text).toBe('hello')
  })

  it.each(['identity', 'Identity, identity', '', ',', ', identity ,'])('does not decode %j', async (coding) => {
    expect((await send('/text', Buffer.from('hello'), coding)).text).toBe('hello')
  })

  it.each(['whatever', 'gzip, gzip', 'gzip, br', 'compress', 'toString'])(
    'responds with 415 to the coding %j',
    async (coding) => {
      const { status, headers } = await send('/text', gzipSync('hello'), coding)
      expect([status, headers.get('accept-encoding')]).toEqual([415, 'gzip, br, zstd, deflate'])
    },
  )
}

/** Yields slices of `size` bytes. */
async function* slices(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function start({ tls, http3 }: ServerDemand): Promise<Server & { port: number }> {
  const server = setUp(new Server({ ...(tls ? { tls } : {}), http3 }))
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port: Number(url.port) })
}

eachProtocol('decompress', start, (client) => {
  suite(async (path, body, coding, type = 'text/plain', sliceBytes) => {
    const headers: TestField[] = [
      ['content-encoding', coding.trim()],
      ['content-type', type],
    ]
    const sent = sliceBytes === undefined ? body : slices(body, sliceBytes)
    const response = await client().request({ method: 'POST', path, headers, body: sent })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })
})

describe('decompress (server.fetch)', () => {
  const server = setUp(new Server())
  suite(async (path, body, coding, type = 'text/plain', sliceBytes) => {
    const response = await server.fetch(path, {
      method: 'POST',
      headers: { 'content-encoding': coding, 'content-type': type },
      body: sliceBytes === undefined ? new Uint8Array(body) : ReadableStream.from(slices(body, sliceBytes)),
      duplex: 'half',
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })
})

describe('decompress', () => {
  it.each([
    [{ codings: ['lzma'] }, TypeError, 'decompress: option "codings[0]" must be'],
    [{ codings: [] }, TypeError, 'decompress: option "codings" must be a non-empty array'],
    [{ maxRatio: 0 }, RangeError, 'decompress: option "maxRatio" must be'],
    [{ maxRatios: 1 }, TypeError, 'decompress: unknown option "maxRatios". Did you mean "maxRatio"?'],
  ])('rejects the options %j', (options, type, message) => {
    expect(() => decompress(options as object)).toThrow(type)
    expect(() => decompress(options as object)).toThrow(message)
  })

  it('responds with 415 to a coding that is not one of its codings', async () => {
    const server = new Server()
    server
      .router()
      .use(decompress({ codings: ['br'] }))
      .post('/', (ctx) => ctx.text())
    const send = async (coding: RequestCoding): Promise<Response> =>
      server.fetch('/', {
        method: 'POST',
        headers: { 'content-encoding': coding },
        body: new Uint8Array(ENCODE[coding]('hello')),
      })
    const refused = await send('gzip')
    expect([refused.status, refused.headers.get('accept-encoding')]).toEqual([415, 'br'])
    expect(await (await send('br')).text()).toBe('hello')
  })

  it('uses the options of the innermost middleware', async () => {
    const server = new Server()
    const router = server.router().use(decompress({ maxRatio: 1 }))
    const limits = { maxBodyBytes: 8 * MIB }
    router.post('/outer', { limits }, async (ctx) => String((await ctx.bytes()).length))
    router.post('/inner', { limits, use: decompress({ maxRatio: 10_000 }) }, async (ctx) =>
      String((await ctx.bytes()).length),
    )
    const init = {
      method: 'POST',
      headers: { 'content-encoding': 'gzip' },
      body: new Uint8Array(gzipSync(Buffer.alloc(4 * MIB))),
    }
    expect((await server.fetch('/outer', init)).status).toBe(413)
    expect(await (await server.fetch('/inner', init)).text()).toBe(String(4 * MIB))
  })
})
