import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync, constants } from 'node:zlib'
import { everySplit } from '@fw/testing'
import type { DecoderMemory } from '@fw/types'
import { describe, expect, it } from 'vitest'
import { decoderOf } from './decoder.ts'
import type { RequestCoding } from './decompress-options.ts'

const MIB = 1024 * 1024
const KIB = 1024
const TEXT = '{"name":"Ada","tags":["a","b","a"]}'

const ENCODE: Readonly<Record<RequestCoding, (bytes: Uint8Array | string) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: (bytes) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
}
const CODINGS = Object.keys(ENCODE) as RequestCoding[]

/** Records nothing. */
const NO_MEMORY: DecoderMemory = { set() {} }

/** Yields slices, each in its own event-loop turn. */
async function* arriving(slices: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const slice of slices) {
    await setImmediate()
    yield slice
  }
}

/** Returns bytes that no coding shortens. */
function noise(length: number): Buffer {
  return createHash('shake128', { outputLength: length }).update('seed').digest()
}

async function decode(
  coding: RequestCoding,
  slices: Iterable<Uint8Array>,
  maxRatio = 100,
  memory: DecoderMemory = NO_MEMORY,
): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of decoderOf(coding, maxRatio)(arriving(slices), memory)) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Returns a frame that declares a window of `2 ** windowLog` bytes. */
function frame(windowLog: number): Buffer {
  const { ZSTD_c_windowLog: log, ZSTD_c_contentSizeFlag: size } = constants
  const bytes = Buffer.from(zstdCompressSync(TEXT, { params: { [log]: 23, [size]: 0 } }))
  // RFC 8878 §3.1.1.1: without a single segment, byte 5 is the window descriptor.
  expect(bytes.readUInt8(4) & 0x20).toBe(0)
  bytes.writeUInt8((windowLog - 10) << 3, 5)
  return bytes
}

describe.each(CODINGS)('the decoder of %s', (coding) => {
  const encoded = ENCODE[coding](TEXT)

  it('decodes every split of a body', async () => {
    const texts = await Promise.all(everySplit(encoded).map(async (slices) => String(await decode(coding, slices))))
    expect(new Set(texts)).toEqual(new Set([TEXT]))
  })

  it('rejects a body that ends early, at every byte', async () => {
    const verdicts = Array.from(encoded, (_, end) => decode(coding, [encoded.subarray(0, end)]))
    for (const verdict of await Promise.allSettled(verdicts)) {
      expect(verdict).toMatchObject({
        status: 'rejected',
        reason: {
          name: 'HttpError',
          status: 400,
          code: 'FW_MALFORMED_BODY',
          message: `The ${coding} body is incomplete`,
        },
      })
    }
  })

  it.each([
    ['zeros', '\0\0'],
    ['text', 'xyz'],
    ['one byte', '\n'],
  ])('rejects trailing %s, in every split', async (_, trailing) => {
    const bytes = Buffer.concat([encoded, Buffer.from(trailing)])
    for (const verdict of await Promise.allSettled(everySplit(bytes).map((slices) => decode(coding, slices)))) {
      expect(verdict).toMatchObject({ status: 'rejected', reason: { status: 400, code: 'FW_MALFORMED_BODY' } })
    }
  })

  it.each([
    ['trailing bytes', Buffer.concat([encoded, Buffer.from('xyzw')])],
    ['another format', Buffer.from('hello, world')],
  ])('rejects %s before the next chunk arrives', async (_, bytes) => {
    const body = (async function* (): AsyncGenerator<Uint8Array> {
      yield bytes
      await new Promise(() => {})
    })()
    const reading = (async () => {
      for await (const _piece of decoderOf(coding, 100)(body, NO_MEMORY));
    })()
    await expect(reading).rejects.toMatchObject({ status: 400 })
  })

  it('requests no chunk before the previous one is decoded', async () => {
    const requests: number[] = []
    let size = 0
    const body = (async function* (): AsyncGenerator<Uint8Array> {
      requests.push(size)
      yield ENCODE[coding](Buffer.alloc(MIB))
      requests.push(size)
    })()
    for await (const piece of decoderOf(coding, 10_000)(body, NO_MEMORY)) size += piece.byteLength
    expect(requests[0]).toBe(0)
    expect(requests[1]).toBeGreaterThanOrEqual(MIB - 128 * KIB)
  })

  it('rejects bytes of another format', async () => {
    const others = [Buffer.from('hello, world'), deflateRawSync(TEXT), ...CODINGS.map((other) => ENCODE[other](TEXT))]
    const wrong = others.filter((bytes) => !bytes.equals(encoded))
    for (const bytes of wrong) await expect(decode(coding, [bytes])).rejects.toMatchObject({ status: 400 })
  })

  it('decodes a bomb in pieces of at most 64 KiB, and stops at the ratio', async () => {
    const bomb = ENCODE[coding](Buffer.alloc(64 * MIB))
    const sizes: number[] = []
    const reading = (async () => {
      for await (const piece of decoderOf(coding, 100)(arriving([bomb]), NO_MEMORY)) sizes.push(piece.byteLength)
    })()
    await expect(reading).rejects.toMatchObject({ status: 413, code: 'FW_BODY_TOO_LARGE' })
    expect(Math.max(...sizes)).toBeLessThanOrEqual(64 * 1024)
    const size = sizes.reduce((sum, length) => sum + length, 0)
    expect(size).toBeGreaterThanOrEqual(MIB - 64 * 1024)
    expect(size).toBeLessThanOrEqual(Math.max(MIB, bomb.length * 100))
  })

  it('accepts any ratio up to 1 MiB, and rejects one byte more', async () => {
    expect((await decode(coding, [ENCODE[coding](Buffer.alloc(MIB))], 1)).length).toBe(MIB)
    await expect(decode(coding, [ENCODE[coding](Buffer.alloc(MIB + 1))], 1)).rejects.toMatchObject({ status: 413 })
  })

  it('accepts more than 1 MiB within the ratio', async () => {
    // Half of each 64 KiB is random, so that every coding halves the length.
    const line = noise(3 * MIB)
    for (let at = 0; at < line.length; at += 65_536) line.fill('a', at, at + 32_768)
    const bytes = ENCODE[coding](line)
    expect((await decode(coding, [bytes], 4)).equals(line)).toBe(true)
  })

  it('stops reading the body while no piece is requested', async () => {
    let taken = 0
    const slices = (function* (): Generator<Uint8Array> {
      const bytes = ENCODE[coding](noise(MIB))
      for (let at = 0; at < bytes.length; at += 4096) {
        taken += 4096
        yield bytes.subarray(at, at + 4096)
      }
    })()
    const pieces = decoderOf(coding, 100)(arriving(slices), NO_MEMORY)[Symbol.asyncIterator]()
    await pieces.next()
    await expect
      .poll(async () => {
        const before = taken
        for (let turn = 0; turn < 20; turn++) await setImmediate()
        return taken - before
      })
      .toBe(0)
    expect(taken).toBeLessThan(MIB / 2)
    await pieces.return?.()
  })

  it('passes on an error of the body', async () => {
    const body = (async function* (): AsyncGenerator<Uint8Array> {
      yield encoded.subarray(0, 4)
      throw new RangeError('the client left')
    })()
    const reading = (async () => {
      for await (const _ of decoderOf(coding, 100)(body, NO_MEMORY));
    })()
    await expect(reading).rejects.toThrow(new RangeError('the client left'))
  })
})

describe.each([
  ['gzip', 32 * KIB],
  ['deflate', 32 * KIB],
  ['zstd', 8 * MIB],
  ['br', 16 * MIB],
] as const)('the decoder of %s', (coding, maxWindowBytes) => {
  it('counts a piece, and the window as far as it is filled', async () => {
    const sizes: number[] = []
    await decode(coding, [ENCODE[coding](Buffer.alloc(100 * KIB))], 100, { set: (bytes) => sizes.push(bytes) })
    expect([sizes[0], sizes.at(-1)]).toEqual([64 * KIB, 64 * KIB + Math.min(100 * KIB, maxWindowBytes)])
  })

  it('counts at most the largest window', async () => {
    let most = 0
    const bytes = ENCODE[coding](Buffer.alloc(17 * MIB))
    await decode(coding, [bytes], 1_000_000, { set: (each) => (most = Math.max(most, each)) })
    expect(most).toBe(64 * KIB + maxWindowBytes)
  })
})

describe.each(['gzip', 'zstd'] as const)('the decoder of %s', (coding) => {
  it('decodes a second member or frame, in every split', async () => {
    const both = Buffer.concat([ENCODE[coding]('one,'), ENCODE[coding]('two')])
    const texts = await Promise.all(everySplit(both).map(async (slices) => String(await decode(coding, slices))))
    expect(new Set(texts)).toEqual(new Set(['one,two']))
  })
})

describe.each(['br', 'deflate'] as const)('the decoder of %s', (coding) => {
  it('rejects a second body', async () => {
    const both = Buffer.concat([ENCODE[coding]('one,'), ENCODE[coding]('two')])
    await expect(decode(coding, [both])).rejects.toMatchObject({ status: 400 })
  })
})

describe('the decoder of zstd', () => {
  const skippable = Buffer.from([0x5f, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3])
  const frames = [
    ENCODE.zstd('one,'),
    skippable,
    // Frames of raw, repeated and compressed blocks, with and without a size, a window and a checksum.
    ENCODE.zstd(noise(1000)),
    zstdCompressSync(Buffer.alloc(300_000, 'a')),
    zstdCompressSync('', { params: { [constants.ZSTD_c_contentSizeFlag]: 0 } }),
    zstdCompressSync(TEXT.repeat(10_000)),
  ]

  it('accepts any sequence of frames, and rejects the start of another one', async () => {
    const magics = [frames[0], skippable].map((each) => each?.subarray(0, 3) ?? Buffer.alloc(0))
    for (const last of frames) {
      const body = Buffer.concat([...frames, last])
      for (const slices of [[body], [body.subarray(0, 700), body.subarray(700)]]) {
        await expect(decode('zstd', slices, 10_000)).resolves.toBeInstanceOf(Buffer)
      }
      for (const magic of magics) {
        for (const length of [1, 2, 3]) {
          const start = magic.subarray(0, length)
          for (const slices of [[Buffer.concat([body, start])], [body, start]]) {
            await expect(decode('zstd', slices, 10_000)).rejects.toMatchObject({ status: 400 })
          }
        }
      }
    }
  })

  it('decodes a window of 8 MiB', async () => {
    expect(String(await decode('zstd', [frame(23)]))).toBe(TEXT)
  })

  it('rejects a window of 16 MiB', async () => {
    await expect(decode('zstd', [frame(24)])).rejects.toMatchObject({ status: 400 })
  })
})
