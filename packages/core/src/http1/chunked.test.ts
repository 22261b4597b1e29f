import { everySplit } from '@fw/testing'
import { array, assert, integer, nat, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../options/limits.ts'
import { ProtocolError } from '../engine/errors.ts'
import { ChunkedDecoder, type ChunkedLimits } from './chunked.ts'

interface Decoded {
  body: string
  used: number
  done: boolean
  trailers: readonly string[]
}

const textOf = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.subarray(start, end)).toString('latin1')

function decode(slices: Uint8Array[], limits: ChunkedLimits = DEFAULT_LIMITS): Decoded {
  const decoder = new ChunkedDecoder(limits)
  let body = ''
  let used = 0
  for (const slice of slices) {
    // Copy each slice, because the decoder moves bytes within its input and all slices are views of one buffer.
    const input = Uint8Array.from(slice)
    for (let at = 0; at < input.length && !decoder.done;) {
      const read = decoder.decode(input.subarray(at), (bytes, start, end) => (body += textOf(bytes, start, end)))
      at += read
      used += read
    }
    if (decoder.done) break
  }
  return { body, used, done: decoder.done, trailers: decoder.trailers }
}

function statusOf(act: () => unknown): number | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    return (error as ProtocolError).status
  }
}

const latin1 = (wire: string): Buffer => Buffer.from(wire, 'latin1')

describe('ChunkedDecoder', () => {
  const accepted: [wire: string, body: string, trailers: string[]][] = [
    ['0\r\n\r\n', '', []],
    ['5\r\nhello\r\n0\r\n\r\n', 'hello', []],
    ['3\r\nabc\r\nA\r\n0123456789\r\n000\r\n\r\n', 'abc0123456789', []],
    ['1;a\r\nx\r\n1;b="c; \\"d";e=f\r\ny\r\n0;e\r\n\r\n', 'xy', []],
    ['1;a="";b=c;d="\t\\\t\x80\xff"\r\nx\r\n00a;!#$%&\'*+-.^_`|~09AZaz\r\n0123456789\r\n0\r\n\r\n', 'x0123456789', []],
    ['0000000000000000000000005\r\nhello\r\n00000000000000000000\r\n\r\n', 'hello', []],
    ['0\r\nX-Sum: 1\r\nB:\t2 \r\n\r\n', '', ['x-sum', '1', 'b', '2']],
    ['0\r\nContent-Length: 5\r\nHost: evil\r\nA: 1\r\n\r\n', '', ['a', '1']],
  ]
  it.each([
    ['chunks of one byte', '1\r\nx\r\n'],
    ['extensions', '1;a=b\r\nx\r\n'],
    ['long extensions', `1;${'a'.repeat(400)}\r\nx\r\n`],
  ])('stops after one share of work in %s and continues at the same byte', (_what, chunk) => {
    const count = Math.ceil(60_000 / chunk.length)
    const wire = latin1(`${chunk.repeat(count)}0\r\n\r\n`)
    const limits: ChunkedLimits = { ...DEFAULT_LIMITS, maxChunkExtensionsTotalBytes: wire.length }
    const decoder = new ChunkedDecoder(limits)
    let body = ''
    const shares: number[] = []
    for (let at = 0; at < wire.length; at += shares.at(-1) ?? 0) {
      shares.push(decoder.decode(wire.subarray(at), (bytes, start, end) => (body += textOf(bytes, start, end))))
    }
    expect(decoder.done).toBe(true)
    expect(body).toBe('x'.repeat(count))
    expect(shares.length).toBeGreaterThan(8)
    expect(Math.max(...shares)).toBeLessThan(6 * 1024)
  })

  it('stops reading an extension at its limit', () => {
    // The malformed byte comes after the limit, so it must not be the reported error.
    const wire = latin1(`1;${'a'.repeat(DEFAULT_LIMITS.maxChunkExtensionBytes)}\0${'a'.repeat(30_000)}`)
    expect(() => new ChunkedDecoder(DEFAULT_LIMITS).decode(wire, () => {})).toThrow('Chunk extension too long')
  })

  it('reads large chunks in one call', () => {
    const wire = latin1(`3e8\r\n${'x'.repeat(1000)}\r\n`.repeat(65))
    expect(new ChunkedDecoder(DEFAULT_LIMITS).decode(wire, () => {})).toBe(wire.length)
  })

  it('delivers chunks of any size in order and joins small ones', () => {
    assert(
      property(array(integer({ min: 1, max: 1500 }), { maxLength: 40 }), nat(3000), (sizes, cut) => {
        const chunks = sizes.map((size, i) => String.fromCharCode(0x41 + (i % 26)).repeat(size))
        const wire = latin1(
          `${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n\r\n`,
        )
        const pieces: string[] = []
        const decoder = new ChunkedDecoder(DEFAULT_LIMITS)
        for (const slice of [wire.subarray(0, cut), wire.subarray(cut)]) {
          decoder.decode(slice, (bytes, start, end) => pieces.push(textOf(bytes, start, end)))
        }
        expect(decoder.done).toBe(true)
        expect(pieces.join('')).toBe(chunks.join(''))
        expect(pieces.length).toBeLessThanOrEqual(2 + 2 * sizes.filter((size) => size > 512).length)
      }),
    )
  })

  it.each(accepted)('decodes %j at every split', (wire, body, trailers) => {
    for (const slices of everySplit(latin1(`${wire}NEXT`))) {
      expect(decode(slices)).toEqual({ body, used: wire.length, done: true, trailers })
    }
  })

  it.each([
    '\r\n',
    ' 5\r\nhello\r\n',
    '5 \r\nhello\r\n',
    '+5\r\nhello\r\n',
    '0x5\r\nhello\r\n',
    'G\r\n',
    '5\nhello\r\n',
    '5\r\nhello\n0\r\n',
    '5\r\nhelloX',
    '5\rhello',
    '20000000000000\r\n',
    '0000020000000000000\r\n',
    'ffffffffffffffff\r\n',
    `${'f'.repeat(400)}\r\n`,
    '1;\r\n',
    '1;a b\r\n',
    '1; a\r\n',
    '1;a = b\r\n',
    '1;a="b\r\n',
    '1;a="b\\\r\n',
    '1;a="b\x7f"\r\n',
    '1;a="\\\x01"\r\n',
    '1;a="b"c\r\n',
    '1;a="b" \r\n',
    '1;a=\r\n',
    '1;a=;b\r\n',
    '1;=b\r\n',
    '1;a=b=c\r\n',
    '1;a=b"c"\r\n',
    '1;;a\r\n',
    '1;a;\r\n',
    '1;a\xff\r\n',
    '1;a,b\r\n',
    '1;a\rx\r\n',
    ';a\r\n',
    '1\r\r\n',
    '0;a \r\n\r\n',
    '1;a\nx',
    '1;\0\r\n',
    '0\r\nX : 1\r\n',
    '0\r\n X: 1\r\n',
    '0\r\nX: 1\n\r\n',
    '0\r\nnothing\r\n',
    '0\r\nX: \0\r\n',
  ])('rejects %j at every split', (wire) => {
    for (const slices of everySplit(latin1(wire))) {
      expect(() => decode(slices)).toThrow(expect.objectContaining({ name: ProtocolError.name, status: 400 }))
    }
  })

  it.each(['1fffffffffffff', '0001fffffffffffff', `${'0'.repeat(100)}1fffffffffffff`])(
    'accepts the size %s, which is 2^53 - 1',
    (size) => {
      expect(decode([latin1(`${size}\r\nx`)])).toMatchObject({ body: 'x', done: false })
    },
  )

  const limits: ChunkedLimits = {
    maxChunkExtensionBytes: 10,
    maxChunkExtensionsTotalBytes: 15,
    maxTrailerBytes: 20,
    maxTrailerFields: 2,
  }
  it.each([
    ['an extension of 10 bytes', `1;${'a'.repeat(9)}\r\nx\r\n0\r\n\r\n`, undefined],
    ['an extension of 11 bytes', `1;${'a'.repeat(10)}\r\nx\r\n0\r\n\r\n`, 400],
    ['extensions of 15 bytes', `1;${'a'.repeat(9)}\r\nx\r\n0;${'a'.repeat(4)}\r\n\r\n`, undefined],
    ['extensions of 16 bytes', `1;${'a'.repeat(9)}\r\nx\r\n0;${'a'.repeat(5)}\r\n\r\n`, 413],
    ['10 leading zeros above 16 digits', `${'0'.repeat(25)}1\r\nx\r\n0\r\n\r\n`, undefined],
    ['11 leading zeros above 16 digits', `${'0'.repeat(26)}1\r\nx\r\n0\r\n\r\n`, 400],
    [
      '15 leading zeros above 16 digits, in all chunks together',
      `${'0'.repeat(25)}1\r\nx\r\n${'0'.repeat(21)}\r\n\r\n`,
      undefined,
    ],
    [
      '16 leading zeros above 16 digits, in all chunks together',
      `${'0'.repeat(25)}1\r\nx\r\n${'0'.repeat(22)}\r\n\r\n`,
      413,
    ],
    ['leading zeros and an extension of 11 bytes', `${'0'.repeat(21)}1;aaaa\r\nx\r\n0\r\n\r\n`, 400],
    ['many sizes of 16 digits', `${`${'0'.repeat(15)}1\r\nx\r\n`.repeat(50)}0\r\n\r\n`, undefined],
    ['trailers of 20 bytes', `0\r\nA: ${'b'.repeat(17)}\r\n\r\n`, undefined],
    ['trailers of 21 bytes', `0\r\nA: ${'b'.repeat(18)}\r\n\r\n`, 431],
    ['2 trailer fields', '0\r\nA: 1\r\nB: 2\r\n\r\n', undefined],
    ['3 trailer fields', '0\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n', 431],
    ['3 trailer fields, 2 of them discarded', '0\r\nTE: 1\r\nTE: 2\r\nC: 3\r\n\r\n', 431],
  ])('checks the limits for $0: status $2', (_name, wire, status) => {
    expect(statusOf(() => decode([latin1(wire)], limits))).toBe(status)
  })
})
