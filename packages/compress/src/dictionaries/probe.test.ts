import { brotliCompressSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type DictionaryCodec, type DictionaryCoding, dictionaryCodec } from './codecs.ts'
import { dictionaryOf } from './dictionary.ts'
import { probeCodec } from './probe.ts'

const HEADER = { dcz: Buffer.alloc(40), dcb: Buffer.alloc(36) }

/** Returns a codec of a runtime whose function does something else. */
function broken(coding: DictionaryCoding, encode: (body: string | Uint8Array) => Uint8Array): DictionaryCodec {
  const codec = dictionaryCodec(coding, undefined)
  return { ...codec, encode: (body) => Buffer.concat([HEADER[coding], encode(body)]) }
}

describe('probeCodec', () => {
  it.each(['dcz', 'dcb'] as const)('accepts the codec of Node.js: %s', (coding) => {
    expect(() => probeCodec(coding, dictionaryCodec(coding, undefined))).not.toThrow()
  })

  it.each<[string, DictionaryCoding, (body: string | Uint8Array) => Uint8Array]>([
    ['ignores the dictionary', 'dcz', (body) => zstdCompressSync(body)],
    ['ignores the dictionary', 'dcb', (body) => brotliCompressSync(body)],
    ['writes something else', 'dcz', () => Buffer.alloc(10)],
    [
      'has no such function',
      'dcz',
      () => {
        throw new TypeError('zlib.zstdCompressSync is not a function')
      },
    ],
  ])('refuses a runtime that %s: %s', (_, coding, encode) => {
    expect(() => probeCodec(coding, broken(coding, encode))).toThrow(
      `does not support dictionaries for "${coding}". Install Node.js 24.21 or later, or omit the coding`,
    )
    expect(() => probeCodec(coding, broken(coding, encode))).toThrow(
      expect.objectContaining({ code: 'FW_NODE_VERSION' }),
    )
  })

  // This is why levels.dcb begins at 5.
  it('refuses Brotli with a quality that ignores dictionaries', () => {
    expect(() => probeCodec('dcb', dictionaryCodec('dcb', 4))).toThrow('does not support dictionaries')
    expect(() => probeCodec('dcb', dictionaryCodec('dcb', 5))).not.toThrow()
  })

  it('finds that zstd parses a trained dictionary', () => {
    const dictionary = dictionaryOf(Buffer.concat([Buffer.from('37a430ec', 'hex'), Buffer.alloc(1000, 'a')]))
    expect(() => dictionaryCodec('dcz', 3).encode('text', 4, dictionary)).toThrow('Allocation error')
  })
})
