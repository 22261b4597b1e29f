import { randomBytes } from 'node:crypto'
import { brotliDecompressSync, type BrotliOptions, zstdDecompressSync, type ZstdOptions } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type DictionaryCoding, dictionaryCodec } from './codecs.ts'
import { dictionaryOf } from './dictionary.ts'

const KIB = 1024
const DICTIONARY = dictionaryOf(randomBytes(100 * KIB))

function decode(coding: DictionaryCoding, bytes: Uint8Array, dictionary: Uint8Array): Buffer {
  const options: ZstdOptions & BrotliOptions = { dictionary }
  return coding === 'dcz'
    ? zstdDecompressSync(bytes.subarray(40), options)
    : brotliDecompressSync(bytes.subarray(36), options)
}

async function streamed(coding: DictionaryCoding, pieces: readonly Uint8Array[], length?: number): Promise<Buffer[]> {
  const encoder = dictionaryCodec(coding, undefined).stream(DICTIONARY, length)
  const parts: Buffer[] = []
  const push = (bytes: Uint8Array): void => void parts.push(Buffer.from(bytes))
  for (const piece of pieces) {
    await encoder.write(piece, push)
    if (length === undefined) await encoder.flush(push)
  }
  await encoder.end(push)
  return parts
}

/** Returns the header of the frame after the skippable one (RFC 8878 §3.1.1.1). */
function frameOf(encoded: Uint8Array): { isSingleSegment: boolean; windowBytes: number | undefined } {
  const descriptor = encoded[44] ?? 0
  const isSingleSegment = (descriptor & 0x20) !== 0
  const window = encoded[45] ?? 0
  return {
    isSingleSegment,
    windowBytes: isSingleSegment ? undefined : 2 ** (10 + (window >> 3)) * (1 + (window & 7) / 8),
  }
}

describe.each(['dcz', 'dcb'] as const)('dictionaryCodec %s', (coding) => {
  const codec = dictionaryCodec(coding, undefined)

  // Lengths on both sides of each table size and level.
  it.each([0, 1, 10, 32 * KIB - 1, 32 * KIB, 100 * KIB])('decodes to the body of %i bytes', async (length) => {
    const body = Buffer.from(DICTIONARY.bytes.subarray(0, length))
    body.fill('!', length >> 1, Math.min(length, (length >> 1) + 5))
    const encoded = [
      codec.encode(body, length, DICTIONARY),
      await codec.encodeLater(body, length, DICTIONARY),
      Buffer.concat(await streamed(coding, [body.subarray(0, 3), body.subarray(3)], length)),
      Buffer.concat(await streamed(coding, [body.subarray(0, 3), body.subarray(3)])),
    ]
    for (const bytes of encoded) {
      expect(decode(coding, bytes, DICTIONARY.bytes).equals(body)).toBe(true)
      expect(bytes.byteLength).toBeLessThan(40 + 160)
    }
  })

  it('begins with the magic number and the hash of the dictionary', () => {
    const magic = { dcz: '5e2a4d1820000000', dcb: 'ff444342' }[coding]
    const expected = magic + Buffer.from(DICTIONARY.digest).toString('hex')
    expect(
      Buffer.from(codec.encode('text', 4, DICTIONARY))
        .toString('hex')
        .startsWith(expected),
    ).toBe(true)
  })

  it('sends the header of an empty stream once', async () => {
    const parts = Buffer.concat(await streamed(coding, []))
    expect(decode(coding, parts, DICTIONARY.bytes).byteLength).toBe(0)
  })

  it('delivers each flushed piece', async () => {
    const encoder = codec.stream(DICTIONARY, undefined)
    const parts: Uint8Array[] = []
    await encoder.write(DICTIONARY.bytes.subarray(500, 1000), (bytes) => parts.push(bytes))
    await encoder.flush((bytes) => parts.push(bytes))
    const before = Buffer.concat(parts)
    expect(before.byteLength).toBeGreaterThan(40)
    encoder.cancel()
  })

  it('encodes strings as UTF-8', () => {
    const body = 'grün 🙂 '.repeat(20)
    const encoded = codec.encode(body, Buffer.byteLength(body), DICTIONARY)
    expect(String(decode(coding, encoded, DICTIONARY.bytes))).toBe(body)
  })
})

describe('dictionaryCodec dcz', () => {
  it('makes a single segment of a body of known length, whose window is the body', async () => {
    const body = Buffer.alloc(9 * KIB * KIB, 'abc')
    const large = dictionaryOf(Buffer.alloc(8 * KIB * KIB, 'abc'))
    const encoded = await dictionaryCodec('dcz', 1).encodeLater(body, body.byteLength, large)
    expect(frameOf(encoded).isSingleSegment).toBe(true)
  })

  it('uses a window of at most 8 MiB for a body that exceeds what every client decodes', async () => {
    const body = Buffer.alloc(9 * KIB * KIB, 'abc')
    const encoded = await dictionaryCodec('dcz', 1).encodeLater(body, body.byteLength, DICTIONARY)
    const { isSingleSegment, windowBytes } = frameOf(encoded)
    expect(isSingleSegment).toBe(false)
    expect(windowBytes).toBeLessThanOrEqual(8 * KIB * KIB)
  })

  it('uses a window of at most 8 MiB for a stream at the highest level', async () => {
    const encoder = dictionaryCodec('dcz', 22).stream(DICTIONARY, undefined)
    const parts: Uint8Array[] = []
    await encoder.write(Buffer.alloc(1000), (bytes) => parts.push(bytes))
    await encoder.end((bytes) => parts.push(bytes))
    expect(frameOf(Buffer.concat(parts)).windowBytes).toBeLessThanOrEqual(8 * KIB * KIB)
  })

  it('stays short for a body of 2 MiB', async () => {
    const dictionary = dictionaryOf(randomBytes(2 * KIB * KIB))
    const body = Buffer.concat([
      dictionary.bytes.subarray(0, 1_000_000),
      Buffer.from('new'),
      dictionary.bytes.subarray(1_000_000),
    ])
    const encoded = await dictionaryCodec('dcz', undefined).encodeLater(body, body.byteLength, dictionary)
    expect(encoded.byteLength).toBeLessThan(body.byteLength / 100)
    expect(zstdDecompressSync(encoded.subarray(40), { dictionary: dictionary.bytes }).equals(body)).toBe(true)
  })
})
