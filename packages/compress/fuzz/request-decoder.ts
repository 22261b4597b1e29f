import assert from 'node:assert/strict'
import * as zlib from 'node:zlib'
import { cut, mutate, randomBytes, Random, type FuzzTarget } from '@fw/testing/fuzz'
import type { RequestCoding } from '../src/request/decompress-options.ts'
import { decoderOf } from '../src/request/decoder.ts'

/** An encoded body, with one character for each byte. */
interface Input {
  readonly coding: RequestCoding
  readonly bytes: string
}

/** A one-shot call with `info`, whose engine counts the bytes that it has read. */
interface WithEngine {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}
type OneShot = (bytes: Uint8Array, options: object) => unknown

const CODINGS: readonly RequestCoding[] = ['gzip', 'br', 'zstd', 'deflate']
const ENCODE = {
  gzip: zlib.gzipSync,
  br: (bytes: string) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 2 } }),
  zstd: zlib.zstdCompressSync,
  deflate: zlib.deflateSync,
} as const
const DECODE: Readonly<Record<RequestCoding, OneShot>> = {
  gzip: zlib.gunzipSync,
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
  deflate: zlib.inflateSync,
}

/** A skippable frame without content (RFC 8878 §3.1.2). */
const EMPTY_FRAME = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0])

const target: FuzzTarget<Input> = {
  parser: 'encoded request bodies (RFC 9110 §8.4.1), compared with the one-shot functions of node:zlib',
  generate(random) {
    const coding = random.pick(CODINGS)
    return { coding, bytes: encoded(coding, random) }
  },
  async check({ coding, bytes }) {
    const body = Buffer.from(bytes, 'latin1')
    // The one-shot function accepts the start of a further magic number. An empty frame after it makes the body malformed.
    const isWhole = coding !== 'zstd' || oneShot(coding, Buffer.concat([body, EMPTY_FRAME])) !== undefined
    const expected = isWhole ? oneShot(coding, body) : undefined
    const pieces: Uint8Array[] = []
    try {
      for await (const piece of decoderOf(coding, 100)(each(cut(body, Random.of(bytes))), { set() {} }))
        pieces.push(piece)
    } catch (error) {
      assert.ok(error instanceof Error && 'status' in error && error.status === 400, String(error))
      assert.equal(expected, undefined, 'rejected a valid body')
      return
    }
    assert.deepEqual(Buffer.concat(pieces), expected)
  },
}
export default target

async function* each(slices: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* slices
}

function encoded(coding: RequestCoding, random: Random): string {
  const text = random.chance(0.5) ? randomBytes(random, random.below(200)) : 'abcab'.repeat(random.below(1000))
  const bytes = ENCODE[coding](text).toString('latin1')
  if (random.chance(0.2)) return bytes
  if (random.chance(0.2)) return bytes.slice(0, random.below(bytes.length))
  if (random.chance(0.2)) return bytes + ENCODE[coding](text).toString('latin1')
  if (random.chance(0.2)) return bytes + randomBytes(random, 1 + random.below(4))
  return mutate(bytes, random, ['\0', '\xff', '\x1f\x8b', '(\xb5/\xfd'])
}

/** Returns the decoded bytes, or `undefined` if a byte is malformed, missing or left over. */
function oneShot(coding: RequestCoding, bytes: Buffer): Buffer | undefined {
  try {
    const { buffer, engine } = DECODE[coding](bytes, { info: true, maxOutputLength: 1024 * 1024 }) as WithEngine
    return engine.bytesWritten === bytes.length ? buffer : undefined
  } catch {
    return undefined
  }
}
