import type { BodyDecoder, Context, Handler, Middleware } from '@fw/types'
import { settle } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { bufferLedger } from '../engine/budget/buffer-ledger.ts'
import { ReceivedBody } from '../engine/exchange/received-body.ts'
import { Server } from '../index.ts'
import { DecodedBody } from './decoded-body.ts'

/** Counts how often decoders began and ended. */
interface Counts {
  begun: number
  ended: number
}

/** Returns a decoder that yields each chunk `times` times. */
function repeat(times: number, counts: Counts = { begun: 0, ended: 0 }): BodyDecoder {
  return async function* (encoded) {
    counts.begun++
    try {
      for await (const chunk of encoded) for (let left = times; left > 0; left--) yield chunk
    } finally {
      counts.ended++
    }
  }
}

/** Records what a consumer receives, in order. */
function setup(decoder: BodyDecoder, maxBytes = 10): { body: ReceivedBody; decoded: DecodedBody; seen: string[] } {
  const body = new ReceivedBody(undefined, 1000, {
    onWanted: () => seen.push('wanted'),
    onFull() {},
    onRoom() {},
  })
  const decoded = new DecodedBody(body, { maxBytes, maxBufferedBytes: 0 }, decoder)
  const seen: string[] = []
  return { body, decoded, seen }
}

/** Reads the body, and records it. */
function read(decoded: DecodedBody, seen: string[]): void {
  decoded.consume({
    data: (chunk) => seen.push(Buffer.from(chunk).toString()),
    end: (trailers) => seen.push(`end ${trailers.join(' ')}`),
    error: (error) => seen.push(error.message),
  })
}

/** Sends `ab` to a handler behind `repeat(2)`. */
async function post(handler: Handler, before: Middleware = (_, next) => next()): Promise<Response> {
  const server = new Server()
  const router = server.router().use(before)
  router.use((ctx, next) => {
    ctx.decodeBody(repeat(2))
    return next()
  })
  router.post('/', handler)
  const headers = { 'content-encoding': 'twice', 'content-length': '2', 'x-a': '1' }
  return server.fetch('/', { method: 'POST', body: 'ab', headers })
}

/** Returns the code of the error with which a read rejects. */
function codeOf(reading: Promise<unknown>): Promise<unknown> {
  return reading.then(
    () => 'resolved',
    (error: { readonly code?: string }) => error.code,
  )
}

describe('DecodedBody', () => {
  it('passes on decoded bytes and trailers', async () => {
    const { body, decoded, seen } = setup(repeat(2))
    read(decoded, seen)
    body.push(Buffer.from('ab'))
    body.finish(['x-a', '1'])
    await settle(1)
    expect(seen).toEqual(['wanted', 'ab', 'ab', 'end x-a 1'])
  })

  it('joins chunks that arrive together, so that small chunks cost no decoder calls', async () => {
    const { body, decoded, seen } = setup(repeat(1), 5000)
    read(decoded, seen)
    for (let left = 2000; left > 0; left--) body.push(Buffer.from('a'))
    body.finish()
    await settle(1)
    const pieces = seen.slice(1, -1)
    expect([pieces.join(''), seen.at(-1)]).toEqual(['a'.repeat(2000), 'end '])
    expect(pieces.length).toBeLessThan(30)
  })

  it.each([
    ['encoded', repeat(0), 'abcdefghijk'],
    ['decoded', repeat(6), 'ab'],
  ])('fails at the chunk with which the %s bytes exceed the limit', async (_, decoder, text) => {
    const { body, decoded, seen } = setup(decoder)
    read(decoded, seen)
    for (const byte of text) body.push(Buffer.from(byte))
    await settle(1)
    expect(seen.at(-1)).toBe('The body exceeds 10 bytes')
    expect(seen).not.toContain('end ')
  })

  it.each([
    ['encoded', repeat(0), 'abcdefghij'],
    ['decoded', repeat(5), 'ab'],
  ])('accepts %s bytes up to the limit', async (_, decoder, text) => {
    const { body, decoded, seen } = setup(decoder)
    read(decoded, seen)
    for (const byte of text) body.push(Buffer.from(byte))
    body.finish()
    await settle(1)
    expect(seen.at(-1)).toBe('end ')
  })

  it('requests no piece while it is paused', async () => {
    let pieces = 0
    const { decoded, seen } = setup(async function* () {
      for (;;) yield Buffer.from(String(pieces++))
    })
    decoded.consume({
      data(chunk) {
        seen.push(Buffer.from(chunk).toString())
        decoded.pause()
      },
      end() {},
      error: (error) => seen.push(error.name),
    })
    await settle(1)
    expect(pieces).toBe(1)
    decoded.resume()
    await settle(1)
    expect([pieces, seen]).toEqual([2, ['0', '1']])
    decoded.release()
    await settle(1)
    expect(seen).toEqual(['0', '1', 'AbortError'])
  })

  it('does not start the supply for a decoder that refuses the body', async () => {
    const { decoded, seen } = setup(() => {
      throw new RangeError('refused')
    })
    read(decoded, seen)
    await settle(1)
    expect(seen).toEqual(['refused'])
  })

  it('reports the error of the body, even if the decoder ignores it', async () => {
    const { body, decoded, seen } = setup(async function* (encoded) {
      try {
        for await (const chunk of encoded) yield chunk
      } catch {
        yield Buffer.from('x')
      }
    })
    read(decoded, seen)
    body.push(Buffer.from('ab'))
    body.fail(new Error('the client left'))
    await settle(1)
    expect(seen).toEqual(['wanted', 'ab', 'x', 'the client left'])
  })

  it.each<[string, unknown]>([
    ['a string', 'text'],
    ['undefined', undefined],
    ['an ArrayBuffer', new ArrayBuffer(8)],
  ])('rejects a piece that is %s', async (type, piece) => {
    const { decoded, seen } = setup(async function* () {
      yield piece as Uint8Array
    })
    read(decoded, seen)
    await settle(1)
    expect(seen).toEqual([
      `ctx.decodeBody: each piece of the decoder must be a Uint8Array, got ${type}. Use Buffer.from(text).`,
    ])
  })

  it('wraps a thrown value that is not an error', async () => {
    const { decoded, seen } = setup(() => {
      throw 'text' as unknown as Error
    })
    read(decoded, seen)
    await settle(1)
    expect(seen).toEqual(['The decoder of the body threw'])
  })

  it.each(['before the read', 'while it waits for bytes', 'while it is paused'])('is released %s', async (moment) => {
    const counts = { begun: 0, ended: 0 }
    const { body, decoded, seen } = setup(repeat(3, counts))
    if (moment === 'before the read') decoded.release()
    read(decoded, seen)
    if (moment === 'while it is paused') {
      body.push(Buffer.from('a'))
      decoded.pause()
    }
    await settle(1)
    decoded.release()
    await settle(1)
    expect(seen.at(-1)).toBe('The response was complete before the request was read')
    expect(counts.ended).toBe(counts.begun)
    expect(counts.begun).toBe(moment === 'before the read' ? 0 : 1)
  })

  it('throws for a second consumer', async () => {
    const { body, decoded, seen } = setup(repeat(2))
    read(decoded, seen)
    expect(() => read(decoded, [])).toThrow(
      expect.objectContaining({ name: 'TypeError', code: 'FW_BODY_ALREADY_READ' }),
    )
    body.push(Buffer.from('ab'))
    body.finish()
    await settle(1)
    expect(() => read(decoded, [])).toThrow(expect.objectContaining({ code: 'FW_BODY_ALREADY_READ' }))
    decoded.release()
    expect(() => read(decoded, [])).toThrow(expect.objectContaining({ code: 'FW_BODY_ALREADY_READ' }))
    expect(seen).toEqual(['wanted', 'ab', 'ab', 'end '])
  })

  it('counts what a consumer collects, and the memory of the decoder, until the body is decoded', async () => {
    let held = 0
    let most = 0
    const body = new ReceivedBody(undefined, 1000, {
      onWanted() {},
      onFull() {},
      onRoom() {},
      onHeld: (difference) => (most = Math.max(most, (held += difference))),
    })
    const more = Promise.withResolvers<void>()
    const decoded = new DecodedBody(body, { maxBytes: 100, maxBufferedBytes: 0 }, async function* (encoded, memory) {
      memory.set(1000)
      for await (const chunk of encoded) yield Buffer.concat([chunk, chunk])
      memory.set(500)
      await more.promise
    })
    decoded.consume({ isCollecting: true, data() {}, end() {}, error() {} })
    body.push(Buffer.from('abcd'))
    body.finish()
    await settle(1)
    expect([held, most]).toEqual([508, 1008])
    more.resolve()
    await settle(1)
    expect(held).toBe(0)
  })

  it('is refused with 503 while the process has reached its limit', async () => {
    const results: unknown[] = []
    bufferLedger.add(1000)
    try {
      for (const maxBufferedBytes of [1000, 1001, 0]) {
        const body = new ReceivedBody(undefined, 1000, { onWanted() {}, onFull() {}, onRoom() {} })
        const decoded = new DecodedBody(body, { maxBytes: 10, maxBufferedBytes }, repeat(1))
        body.finish()
        decoded.consume({ data() {}, end: () => results.push('end'), error: (error) => results.push(error) })
        await settle(1)
      }
    } finally {
      bufferLedger.add(-1000)
    }
    expect(results).toEqual([expect.objectContaining({ status: 503, code: 'FW_OVERLOADED' }), 'end', 'end'])
  })

  it('is refused when more bytes arrive for a consumer that collects them', async () => {
    const body = new ReceivedBody(undefined, 1000, { onWanted() {}, onFull() {}, onRoom() {} })
    const decoded = new DecodedBody(body, { maxBytes: 10, maxBufferedBytes: 1000 }, repeat(1))
    const seen: unknown[] = []
    decoded.consume({
      isCollecting: true,
      data: (chunk) => seen.push(String(Buffer.from(chunk))),
      end() {},
      error: (error) => seen.push(error),
    })
    body.push(Buffer.from('a'))
    await settle(1)
    bufferLedger.add(1000)
    try {
      body.push(Buffer.from('b'))
      await settle(1)
    } finally {
      bufferLedger.add(-1000)
    }
    expect(seen).toEqual(['a', expect.objectContaining({ status: 503, code: 'FW_OVERLOADED' })])
  })

  it('waits while eight others are being decoded, and not for those that are paused or wait for bytes', async () => {
    const decoders = ['busy', 'starved', 'paused'].map((state) => {
      const bodies = Array.from({ length: 8 }, () => {
        const { body, decoded, seen } = setup(
          state === 'busy'
            ? () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) })
            : repeat(1),
        )
        read(decoded, seen)
        if (state === 'paused') {
          decoded.pause()
          body.push(Buffer.from('a'))
        }
        return decoded
      })
      return { state, bodies }
    })
    await settle(1)
    const { body, decoded, seen } = setup(repeat(1))
    read(decoded, seen)
    body.push(Buffer.from('a'))
    body.finish()
    await settle(1)
    expect(seen).toEqual([])
    decoders[0]?.bodies[0]?.release()
    await settle(1)
    expect(seen.at(-1)).toBe('end ')
    for (const { bodies } of decoders) for (const each of bodies) each.release()
  })
})

describe('ctx.decodeBody', () => {
  it('rejects a second read, and completes the first', async () => {
    const response = await post(async (ctx) => {
      const first = ctx.text()
      return [await codeOf(ctx.request.text()), await first]
    })
    expect(await response.json()).toEqual(['FW_BODY_ALREADY_READ', 'abab'])
  })

  it('rejects a read after the decoded stream has ended', async () => {
    const response = await post(async (ctx) => {
      let pieces = 0
      for await (const _ of ctx.stream()) pieces++
      return [pieces, await codeOf(ctx.text())]
    })
    expect(await response.json()).toEqual([2, 'FW_BODY_ALREADY_READ'])
  })

  it('rejects a read after the decoded stream was canceled', async () => {
    const response = await post(async (ctx) => {
      for await (const _ of ctx.stream()) break
      return codeOf(ctx.text())
    })
    expect(await response.text()).toBe('FW_BODY_ALREADY_READ')
  })

  it('decodes the body of ctx.request, and removes the fields of the encoded body', async () => {
    const response = await post(async ({ request }) => [await request.clone().text(), ...request.headers.keys()])
    expect(await response.json()).toEqual(['abab', 'content-type', 'host', 'x-a'])
  })

  it('decodes the body of a request that was created before', async () => {
    const response = await post(
      async ({ request }) => [await request.text(), request.headers.get('content-encoding')],
      (ctx, next) => {
        expect(ctx.request.headers.get('content-encoding')).toBe('twice')
        return next()
      },
    )
    expect(await response.json()).toEqual(['abab', null])
  })

  it('removes the fields of the encoded body from clones that were created before', async () => {
    const clones: Request[] = []
    await post(
      (ctx) => ctx.text(),
      (ctx, next) => {
        const clone = ctx.request.clone()
        clones.push(clone, clone.clone())
        return next()
      },
    )
    expect(clones.map(({ headers }) => Array.from(headers.keys()))).toEqual([
      ['content-type', 'host', 'x-a'],
      ['content-type', 'host', 'x-a'],
    ])
  })

  it('replaces the decoder on a second call', async () => {
    const response = await post((ctx) => {
      ctx.decodeBody(repeat(3))
      return ctx.text()
    })
    expect(await response.text()).toBe('ababab')
  })

  it('returns the same body on every call', async () => {
    const response = await post(async (ctx) => [await ctx.text(), String(Buffer.from(await ctx.bytes()))])
    expect(await response.json()).toEqual(['abab', 'abab'])
  })

  it('throws for a decoder that is not a function', async () => {
    expect.assertions(1)
    await post((ctx) => {
      expect(() => ctx.decodeBody('gzip' as never)).toThrow(
        expect.objectContaining({
          name: 'TypeError',
          code: 'FW_INVALID_HANDLER',
          message: 'ctx.decodeBody: decode must be a function, got a string. Pass async function* (encoded) { … }.',
        }),
      )
    })
  })

  it.each<[string, (ctx: Context) => Promise<unknown>]>([
    ['bytes', (ctx) => ctx.bytes()],
    ['stream', (ctx) => ctx.stream().getReader().read()],
  ])('throws after %s() has read the body', async (_, readBody) => {
    expect.assertions(1)
    await post(async (ctx) => {
      await readBody(ctx)
      expect(() => ctx.decodeBody(repeat(3))).toThrow(
        expect.objectContaining({ name: 'TypeError', code: 'FW_BODY_ALREADY_READ' }),
      )
    })
  })
})
