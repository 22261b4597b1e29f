import { setTimeout as sleep } from 'node:timers/promises'
import { createGzip, gunzipSync } from 'node:zlib'
import * as log from '@fw/log'
import type { ServerDemand } from '@fw/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  HttpError,
  Server,
  type BodyEncoder,
  type Context,
  type Handler,
  type Middleware,
  type ResponseFilter,
  type Router,
} from '../src/index.ts'
import { everyWay, type Way } from './every-way.ts'

/** Marks each encoder call in the body. `<x>` is a write, `|` a flush and `.` the end. */
function marker(open = '<', onCancel = (): void => {}): BodyEncoder {
  return {
    write: (chunk, push) => push(Buffer.from(`${open}${Buffer.from(chunk).toString()}>`)),
    flush: (push) => push(Buffer.from('|')),
    end: (push) => push(Buffer.from('.')),
    cancel: onCancel,
  }
}

/** Like `marker`, but each call lasts one turn of the event loop. */
function slowMarker(): BodyEncoder {
  const encoder = marker()
  return {
    write: (chunk, push) => sleep(1).then(() => encoder.write(chunk, push)),
    flush: (push) => sleep(1).then(() => encoder.flush(push)),
    end: (push) => sleep(1).then(() => encoder.end(push)),
    cancel: () => encoder.cancel(),
  }
}

/** An encoder whose first call never ends, so its input accumulates. */
function stuck(onCancel: () => void): BodyEncoder {
  return { write: () => new Promise(() => {}), flush: () => {}, end: () => {}, cancel: onCancel }
}

function filtered(filter: ResponseFilter, ...more: readonly ResponseFilter[]): Middleware {
  return (ctx, next) => {
    for (const each of [filter, ...more]) ctx.filterResponse(each)
    return next()
  }
}

/** Delays an empty response. */
const emptyLater: ResponseFilter = (response) => response.replaceLater(sleep(5).then(() => new Uint8Array(0)))

/** The responses that the filter on the routes `/seen/…` has received. */
let seen: unknown[] = []
const describeResponse: ResponseFilter = (response, ctx) => {
  const { whole } = response
  seen.push([
    response.status,
    response.kind,
    response.lengthBytes,
    whole instanceof Uint8Array ? Buffer.from(whole).toString() : whole,
    ctx.path,
  ])
}

const reported: string[] = []
let canceled = 0

/** Sends five bytes in two writes, with their length announced. */
function file(ctx: Context): void {
  ctx.responseHeaders.set('content-length', '5')
  const body = ctx.startResponse()
  body.write(Buffer.from('12345'))
  body.end()
}
/** Yields two pieces with a pause between them. */
async function* twoPieces(): AsyncGenerator<string> {
  yield 'one'
  await sleep(5)
  yield 'two'
}

/** Returns a filter that passes each body through an encoder. */
function encode(open: () => BodyEncoder, flushEach = false): ResponseFilter {
  return (response) => {
    if (response.kind !== 'none') response.encode(open, { flushEach })
  }
}

function routes(router: Router): void {
  const get = (path: string, filter: ResponseFilter | readonly ResponseFilter[], handler: Handler): void => {
    const [first = () => {}, ...rest] = [filter].flat()
    router.get(path, { use: filtered(first, ...rest) }, handler)
  }
  const seenRoutes: Readonly<Record<string, Handler>> = {
    text: () => 'grüße',
    bytes: (ctx) => ctx.bytes(Buffer.from('abc')),
    json: () => ({ a: 1 }),
    nothing: () => undefined,
    redirect: (ctx) => ctx.redirect('/'),
    unmodified: (ctx) => ctx.empty(304),
    stream: (ctx) => ctx.stream(twoPieces()),
    started: file,
    response: () => new Response('whole'),
    error: () => {
      throw new HttpError(409, 'Taken')
    },
    crash: () => {
      throw new Error('secret')
    },
    ended: (ctx) => {
      // The handler returns without ending the body itself.
      ctx.startResponse().write(Buffer.from('open'))
    },
  }
  for (const [name, handler] of Object.entries(seenRoutes)) get(`/seen/${name}`, describeResponse, handler)
  router.get('/seen/slow', { use: filtered(describeResponse), timeoutMs: 20 }, () => new Promise(() => {}))

  get(
    '/head',
    (response) => response.headers.set('x-filtered', 'yes'),
    () => 'a',
  )
  get(
    '/status',
    (response) => void (response.status = 203),
    () => 'a',
  )
  get(
    '/to-304',
    (response) => void (response.status = 304),
    (ctx) => {
      ctx.responseHeaders.set('etag', '"1"')
      return 'abc'
    },
  )
  get(
    '/replace',
    (response) => response.replace('grüße'),
    () => 'a',
  )
  get(
    '/replace-null',
    (response) => response.replace(null),
    () => 'a',
  )
  get(
    '/later',
    [
      (response) => response.replace(`${String(response.whole)}, then`),
      (response) => response.replaceLater(sleep(5).then(() => Buffer.from('later'))),
    ],
    () => 'a',
  )
  get('/later-redirect', emptyLater, (ctx) => ctx.redirect('/'))
  get('/later-nothing', emptyLater, () => {})
  get('/later-unmodified', emptyLater, (ctx) => {
    ctx.responseHeaders.set('content-length', '7')
    return ctx.empty(304)
  })
  get(
    '/later-filled',
    (response) => response.replaceLater(sleep(5).then(() => 'filled')),
    (ctx) => ctx.redirect('/'),
  )
  get('/later-unmodified-text', emptyLater, (ctx) => ctx.text('text', { status: 304 }))
  get('/later-unmodified-stream', emptyLater, (ctx) => ctx.stream(twoPieces(), { status: 304 }))
  get('/later-started-empty', emptyLater, (ctx) => {
    ctx.status = 204
    ctx.startResponse()
  })
  get(
    '/later-fails',
    (response) => response.replaceLater(Promise.reject(new HttpError(503, 'No room'))),
    () => 'a',
  )
  router.get(
    '/later-times-out',
    { use: filtered((response) => response.replaceLater(new Promise(() => {}))), timeoutMs: 30 },
    () => 'a',
  )
  get(
    '/order',
    [
      (response) => response.headers.append('x-order', 'first added'),
      (response) => response.headers.append('x-order', 'last added'),
    ],
    () => 'a',
  )
  get(
    '/throws',
    () => {
      throw new Error('the filter failed')
    },
    () => 'a',
  )
  get(
    '/throws-started',
    () => {
      throw new Error('the filter failed')
    },
    (ctx) => ctx.startResponse().end(),
  )
  get(
    '/async',
    (): unknown => Promise.resolve(),
    () => 'a',
  )

  const bodies: Readonly<Record<string, Handler>> = {
    whole: () => 'whole',
    stream: (ctx) => ctx.stream(twoPieces()),
    started: file,
    empty: (ctx) => ctx.stream([]),
    nothing: () => undefined,
    error: () => {
      throw new HttpError(409, 'Taken')
    },
    unended: (ctx) => {
      ctx.startResponse().write(Buffer.from('open'))
    },
  }
  for (const [name, handler] of Object.entries(bodies)) {
    get(
      `/encoded/${name}`,
      encode(() => marker()),
      handler,
    )
    get(
      `/flushed/${name}`,
      encode(() => marker(), true),
      handler,
    )
    get(`/slow/${name}`, encode(slowMarker, true), handler)
    get(`/twice/${name}`, [encode(() => marker('[')), encode(() => marker('('))], handler)
  }
  get('/large', encode(gzip), (ctx) => ctx.stream(manyPieces()))
  get('/trailers', encode(slowMarker), (ctx) => {
    const body = ctx.startResponse()
    body.write(Buffer.from('a'))
    body.end(['x-sum', '1'])
  })
  get(
    '/open-fails',
    encode(() => {
      throw new Error('no memory')
    }),
    () => 'a',
  )
  get(
    '/second-open-fails',
    [
      encode(() => marker('<', () => canceled++)),
      encode(() => {
        throw new Error('no memory')
      }),
    ],
    () => 'a',
  )
  get(
    '/write-fails',
    encode(() => ({ ...marker(), write: () => Promise.reject(new Error('cannot encode')) })),
    (ctx) => {
      ctx.startResponse().write(Buffer.from('a'))
      return new Promise<void>((resolve) => ctx.onFinish(() => resolve()))
    },
  )
  get(
    '/stuck',
    encode(() => stuck(() => canceled++)),
    async (ctx) => {
      const body = ctx.startResponse()
      let pieces = 0
      while (body.write(Buffer.alloc(16_384))) pieces++
      seen = [pieces < 10, body.bufferedBytes >= 65_536]
      await body.drained()
    },
  )
  router.get('/too-late', (ctx) => {
    const body = ctx.startResponse()
    ctx.filterResponse(() => expect.unreachable())
    body.end()
  })
  router.get('/not-a-function', (ctx) => ctx.filterResponse('gzip' as unknown as ResponseFilter))
}

/** Yields 4 MiB of data that remains large when it is compressed. */
async function* manyPieces(): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < 64; i++) yield Buffer.alloc(65_536, `piece ${i * 7919} `)
}

/** An encoder over a Node.js stream, with backpressure. */
function gzip(): BodyEncoder {
  const stream = createGzip()
  let push: ((bytes: Uint8Array) => void) | undefined
  stream.on('data', (bytes: Uint8Array) => push?.(bytes))
  const call = (
    act: (done: (error?: Error | null) => void) => void,
    to: (bytes: Uint8Array) => void,
  ): Promise<void> => {
    push = to
    return new Promise((resolve, reject) => act((error) => (error ? reject(error) : resolve())))
  }
  return {
    write: (chunk, to) => call((done) => stream.write(chunk, done), to),
    flush: (to) => call((done) => stream.flush(() => done()), to),
    end: (to) => call((done) => stream.once('end', done).end(), to),
    cancel: () => void stream.destroy(),
  }
}

async function start({ tls, http3 }: ServerDemand): Promise<Server & { port: number }> {
  const server = new Server({ ...(tls ? { tls } : {}), http3 })
  routes(server.router())
  server.router().notFound(() => 'nothing here')
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port: Number(url.port) })
}

beforeAll(() => {
  log.setSinks([
    { level: log.Level.Error, write: ({ message }) => void reported.push(message), flush() {}, close() {} },
  ])
})

everyWay('a response filter', start, (client, way: Way) => {
  const get = async (path: string, method = 'GET') => client().request({ path, method })

  it.each([
    ['text', 200, 'whole', 7, 'grüße'],
    ['bytes', 200, 'whole', 3, 'abc'],
    ['json', 200, 'whole', 7, '{"a":1}'],
    ['nothing', 204, 'none', undefined, null],
    ['redirect', 302, 'none', undefined, null],
    ['unmodified', 304, 'none', undefined, null],
    ['stream', 200, 'stream', undefined, null],
    ['started', 200, 'stream', 5, null],
    ['response', 200, 'whole', 5, 'whole'],
    ['ended', 200, 'stream', undefined, null],
  ])("receives a handler's response once: %s", async (name, ...expected) => {
    seen = []
    const response = await get(`/seen/${name}`)
    await response.text()
    expect([response.status, seen]).toEqual([expected[0], [[...expected, `/seen/${name}`]]])
  })

  it.each([
    ['text', 'whole', 7],
    ['stream', 'stream', undefined],
    ['started', 'stream', 5],
    ['nothing', 'none', undefined],
  ])('receives the response to HEAD like the response to GET: %s', async (name, kind, length) => {
    seen = []
    const response = await get(`/seen/${name}`, 'HEAD')
    expect(await response.text()).toBe('')
    expect(seen).toEqual([[response.status, kind, length, kind === 'whole' ? 'grüße' : null, `/seen/${name}`]])
  })

  it.each([
    ['error', 409],
    ['crash', 500],
    ['slow', 503],
  ])('receives the response to a failure once: %s', async (name, status) => {
    seen = []
    const response = await get(`/seen/${name}`)
    const body = await response.text()
    expect([response.status, body]).toEqual([status, expect.not.stringContaining('secret')])
    expect(seen).toEqual([[status, 'whole', body.length, body, `/seen/${name}`]])
  })

  it('changes the fields and the status', async () => {
    expect((await get('/head')).headers.get('x-filtered')).toBe('yes')
    expect((await get('/head', 'HEAD')).headers.get('x-filtered')).toBe('yes')
    expect((await get('/status')).status).toBe(203)
  })

  it('converts a response to a 304', async () => {
    const response = await get('/to-304')
    expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([304, '"1"', ''])
  })

  it.each([
    ['/replace', 'grüße', '7'],
    ['/replace-null', '', '0'],
    ['/later', 'later, then', '11'],
  ])('replaces the body, with its length: %s', async (path, body, length) => {
    const response = await get(path)
    expect([await response.text(), response.headers.get('content-length')]).toEqual([body, length])
    const head = await get(path, 'HEAD')
    expect([await head.text(), head.headers.get('content-length')]).toEqual(['', length])
  })

  it.each([
    ['/later-redirect', 302, '0', ''],
    ['/later-nothing', 204, null, ''],
    ['/later-unmodified', 304, '7', ''],
    ['/later-unmodified-text', 304, null, ''],
    ['/later-unmodified-stream', 304, null, ''],
    ['/later-filled', 302, '6', 'filled'],
  ])('delays the head of an empty response: %s', async (path, status, length, body) => {
    const response = await get(path)
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
      status,
      length,
      body,
    ])
  })

  it('runs in the reverse order of the calls', async () => {
    expect((await get('/order')).headers.get('x-order')).toBe('last added, first added')
  })

  it.each([
    ['/throws', 500],
    ['/throws-started', 500],
    ['/async', 500],
    ['/later-fails', 503],
    ['/later-started-empty', 500],
    ['/later-times-out', 503],
    ['/open-fails', 500],
    ['/not-a-function', 500],
  ])('responds with an error if a filter fails: %s', async (path, status) => {
    const response = await get(path)
    expect([response.status, await response.json()]).toEqual([status, expect.objectContaining({ status })])
  })

  it('has no effect after the head was sent', async () => {
    const response = await get('/too-late')
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  describe('that encodes the body', () => {
    it.each([
      ['/encoded/whole', '<whole>.'],
      ['/encoded/stream', '<one><two>.'],
      ['/encoded/started', '<12345>.'],
      ['/encoded/empty', '.'],
      ['/encoded/nothing', ''],
      ['/encoded/unended', '<open>.'],
      ['/flushed/whole', '<whole>|.'],
      ['/flushed/stream', '<one>|<two>|.'],
      ['/slow/whole', '<whole>|.'],
      ['/slow/stream', '<one>|<two>|.'],
      ['/slow/started', '<12345>|.'],
      ['/slow/unended', '<open>|.'],
      ['/twice/stream', '[(one>>[(two>>[.>.'],
    ])('sends %s as %j, without a length', async (path, expected) => {
      const response = await get(path)
      expect(await response.text()).toBe(expected)
      expect(response.headers.get('content-length')).toBe(null)
    })

    it('encodes the response to an error', async () => {
      const response = await get('/encoded/error')
      expect([response.status, await response.text()]).toEqual([409, expect.stringMatching(/^<\{.*"Taken".*\}>\.$/)])
    })

    it.each(['whole', 'stream', 'started'])('opens no encoder for HEAD, and sends no length: %s', async (name) => {
      const response = await get(`/encoded/${name}`, 'HEAD')
      expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, null, ''])
    })

    it('sends a large stream completely', async () => {
      const response = await get('/large')
      const body = gunzipSync(await response.bytes())
      expect(body.byteLength).toBe(64 * 65_536)
      expect(body.subarray(-65_536)).toEqual(Buffer.alloc(65_536, `piece ${63 * 7919} `))
    })

    it('sends trailers after the encoder has ended', async () => {
      const response = await get('/trailers')
      const trailers = way.trailers === 'none' ? [] : [['x-sum', '1']]
      expect([await response.text(), await response.trailers]).toEqual(['<a>.', trailers])
    })

    it('releases the other encoders if one cannot be opened', async () => {
      canceled = 0
      const response = await get('/second-open-fails')
      await response.text()
      expect([response.status, canceled]).toEqual([500, 1])
    })

    it('aborts the response and reports the error if it fails later', async () => {
      reported.length = 0
      await expect(get('/write-fails').then((response) => response.text())).rejects.toThrow(Error)
      await expect.poll(() => reported).toEqual([expect.stringMatching(/GET \/write-fails failed.*cannot encode/s)])
    })

    it('delays writes, and is released when the client disconnects', async () => {
      canceled = 0
      seen = []
      const response = await get('/stuck')
      await expect.poll(() => seen).toEqual([true, true])
      response.abort()
      await expect.poll(() => canceled).toBe(1)
    })
  })
})
