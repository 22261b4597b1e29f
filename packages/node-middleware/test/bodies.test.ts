import type { IncomingMessage } from 'node:http'
import { type Context, HttpError, Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { type ClientRequest, eachProtocol } from '@fw/testing'
import bodyParser from 'body-parser'
import multer, { MulterError } from 'multer'
import { beforeAll, describe, expect, it } from 'vitest'
import { fromNode, nodeRequest } from '../src/index.ts'
import { everyWay } from './every-way.ts'

const JSON_TYPE = ['content-type', 'application/json'] as const
const codes: unknown[] = []

beforeAll(() => setSinks([]))

function bodyOf(ctx: Context): unknown {
  return Reflect.get(nodeRequest(ctx), 'body')
}

async function* slices(...all: string[]): AsyncGenerator<Uint8Array> {
  for (const text of all) yield Buffer.from(text)
}

everyWay(
  'body-parser',
  (router) => {
    router.onError((error) => {
      codes.push((error as { code?: string }).code)
    })
    const options = { use: fromNode(bodyParser.json()) }
    router.post('/json', options, (ctx) => bodyOf(ctx))
    router.post('/form', { use: fromNode(bodyParser.urlencoded()) }, (ctx) => bodyOf(ctx))
    router.post('/text', { use: fromNode(bodyParser.text()) }, (ctx) => bodyOf(ctx))
    router.post('/limited', { ...options, limits: { maxBodyBytes: 10 } }, (ctx) => bodyOf(ctx))
    router.post('/twice', { use: [fromNode(bodyParser.json()), fromNode(bodyParser.json())] }, (ctx) => {
      return bodyOf(ctx)
    })
    router.post('/node-then-fw', options, (ctx) => ctx.json())
    router.post(
      '/fw-then-node',
      {
        use: [
          async (ctx, next) => {
            await ctx.text()
            await next()
          },
          fromNode(bodyParser.json()),
        ],
      },
      () => 'unreachable',
    )
  },
  (send) => {
    it('parses JSON for an fw handler', async () => {
      const response = await send({ path: '/json', body: '{"a":[1,2]}', headers: [JSON_TYPE] })
      expect([response.status, response.text]).toEqual([200, '{"a":[1,2]}'])
    })

    it('parses a body of unknown length', async () => {
      const response = await send({ path: '/json', body: slices('{"a"', ':1}'), headers: [JSON_TYPE] })
      expect([response.status, response.text]).toEqual([200, '{"a":1}'])
    })

    it('parses a form and text', async () => {
      const form = ['content-type', 'application/x-www-form-urlencoded'] as const
      expect((await send({ path: '/form', body: 'a=1&b=2', headers: [form] })).text).toBe('{"a":"1","b":"2"}')
      expect((await send({ path: '/text', body: 'é', headers: [['content-type', 'text/plain']] })).text).toBe('é')
    })

    it('skips a body that was parsed before', async () => {
      expect((await send({ path: '/twice', body: '{"a":1}', headers: [JSON_TYPE] })).text).toBe('{"a":1}')
    })

    it('skips a request without a body', async () => {
      expect((await send({ path: '/json', method: 'POST' })).status).toBe(204)
    })

    it('responds with 400 to malformed JSON', async () => {
      const { status, text } = await send({ path: '/json', body: '{"a":', headers: [JSON_TYPE] })
      expect([status, text]).toEqual([400, expect.stringContaining('JSON')])
    })

    it('responds with 413 beyond its own limit', async () => {
      const body = JSON.stringify('x'.repeat(100 * 1024))
      expect((await send({ path: '/json', body, headers: [JSON_TYPE] })).status).toBe(413)
    })

    it.each([
      ['[12345678]', 200],
      ['[123456789]', 413],
    ])('responds to %j under the limit of the route, 10 bytes, with %i', async (body, status) => {
      const request = { path: '/limited', headers: [JSON_TYPE] }
      expect((await send({ ...request, body })).status).toBe(status)
      expect((await send({ ...request, body: slices(body) })).status).toBe(status)
    })

    it.each(['/node-then-fw', '/fw-then-node'])('reports a second reader for %s', async (path) => {
      codes.length = 0
      const { status } = await send({ path, body: '{"a":1}', headers: [JSON_TYPE] })
      expect([status, codes]).toEqual([500, ['FW_BODY_ALREADY_READ']])
    })
  },
)

function part(fields: string, value: string): string {
  return `--edge\r\ncontent-disposition: form-data; ${fields}\r\n\r\n${value}\r\n`
}

/** Returns a request that uploads a file. */
function upload(sizeBytes: number): ClientRequest {
  const file = part('name="photo"; filename="p.png"', `${'a'.repeat(sizeBytes - 1)}z`)
  const body = `${part('name="title"', 'A photo')}${file}--edge--\r\n`
  return { path: '/upload', body, headers: [['content-type', 'multipart/form-data; boundary=edge']] }
}

everyWay(
  'multer',
  (router) => {
    const uploads = multer({ limits: { fileSize: 64 * 1024 } })
    router.onError((error) => {
      if (error instanceof MulterError) throw new HttpError(413, error.message)
    })
    router.post('/upload', { use: fromNode(uploads.single('photo')) }, (ctx) => {
      const { file } = nodeRequest(ctx)
      return { name: file?.originalname, size: file?.size, end: file?.buffer.at(-1), body: bodyOf(ctx) }
    })
  },
  (send) => {
    it('parses fields and a file', async () => {
      const { status, text } = await send(upload(64 * 1024))
      expect(status).toBe(200)
      expect(JSON.parse(text)).toEqual({ name: 'p.png', size: 64 * 1024, end: 122, body: { title: 'A photo' } })
    })

    it('passes the error for a larger file to the error handlers', async () => {
      const { status, text } = await send(upload(64 * 1024 + 1))
      expect([status, text]).toEqual([413, expect.stringContaining('File too large')])
    })
  },
)

/** Bodies that the slow reader has received, in bytes. */
let receivedBytes = 0
let continueReading = Promise.withResolvers<void>()

eachProtocol(
  'a body that middleware reads slowly',
  async ({ tls, http3 }) => {
    const server = new Server({ ...(tls === undefined ? {} : { tls }), http3, limits: { maxBodyBytes: 2 ** 30 } })
    server.router().post(
      '/slow',
      fromNode(async (req: IncomingMessage, res) => {
        for await (const chunk of req) {
          receivedBytes += (chunk as Buffer).length
          await continueReading.promise
        }
        res.end(String(receivedBytes))
      }),
    )
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
  },
  (client) => {
    it('makes the client wait', async () => {
      receivedBytes = 0
      continueReading = Promise.withResolvers()
      let sentBytes = 0
      const total = 8 * 1024 * 1024
      const body = async function* (): AsyncGenerator<Uint8Array> {
        for (; sentBytes < total; sentBytes += 64 * 1024) yield Buffer.alloc(64 * 1024)
      }
      const responding = client().request({ path: '/slow', body: body() })
      await expect.poll(() => receivedBytes).toBeGreaterThan(0)
      let before = -1
      await expect
        .poll(
          () => {
            const isStalled = sentBytes === before
            before = sentBytes
            return isStalled
          },
          { interval: 100 },
        )
        .toBe(true)
      expect(sentBytes).toBeLessThan(total)
      continueReading.resolve()
      expect(await (await responding).text()).toBe(String(total))
    })

    it('is requested with 100 (Continue) when middleware first reads it', async () => {
      receivedBytes = 0
      continueReading.resolve()
      const response = await client().request({ path: '/slow', body: 'body', headers: [['expect', '100-continue']] })
      expect([response.informational, await response.text()]).toEqual([[100], '4'])
    })
  },
  { protocols: ['h1', 'h2', 'h3'] },
)

describe('the stream of a request', () => {
  it('is not created for middleware that reads only the head', async () => {
    const server = new Server()
    const seen: boolean[] = []
    server.router().get(
      '/',
      fromNode((req, res) => {
        seen.push(Object.hasOwn(req, '_events'))
        req.on('end', () => {})
        seen.push(Object.hasOwn(req, '_events'))
        res.end()
      }),
    )
    await server.fetch('/')
    expect(seen).toEqual([false, true])
  })
})
