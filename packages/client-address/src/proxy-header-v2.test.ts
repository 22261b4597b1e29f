import { everySplit } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { crc32c } from './crc32c.ts'
import { readProxyHeader } from './read-proxy-header.ts'

const SIGNATURE = '0d0a0d0a000d0a515549540a'
const V4 = 'c0000201 c0000202 dc04 01bb'
const V6 = '20010db8000000000000000000000001 20010db8000000000000000000000002 dc04 01bb'
const MAPPED = '00000000000000000000ffffc0000201 00000000000000000000ffffc0000202 dc04 01bb'
const UNIX = Buffer.from('/run/client.sock').toString('hex').padEnd(432, '0')

/** A TLV with a checksum, then a TLV that ends after the header. */
const LIKE_CHECKSUM = '03 0004 070a0000 01 1234 0050'

const fromHex = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex')

/** Returns a header. @param start The bytes of the command and of the family, in hexadecimal notation */
function header(start: string, ...blocks: string[]): Buffer {
  const block = fromHex(blocks.join(''))
  const length = Buffer.alloc(2)
  length.writeUInt16BE(block.length)
  return Buffer.concat([fromHex(SIGNATURE + start), length, block])
}

/** Returns a header with this many bytes. */
function fill(length: number): Buffer {
  return header('20 00', '00'.repeat(length - 16))
}

/** Returns the header with its checksum, whose TLV is `03 0004 00000000`. */
function withChecksum(bytes: Buffer): Buffer {
  const at = bytes.indexOf(fromHex('03 0004 00000000'))
  bytes.writeUInt32BE(crc32c(bytes), at + 3)
  return bytes
}

describe('a version 2 header', () => {
  it.each([
    ['TCP over IPv4', header('21 11', V4), { address: '192.0.2.1', port: 56_324 }],
    ['UDP over IPv4', header('21 12', V4), { address: '192.0.2.1', port: 56_324 }],
    ['TCP over IPv6', header('21 21', V6), { address: '2001:db8::1', port: 56_324 }],
    ['UDP over IPv6', header('21 22', V6), { address: '2001:db8::1', port: 56_324 }],
    ['an IPv4-mapped address', header('21 21', MAPPED), { address: '192.0.2.1', port: 56_324 }],
    ['a Unix stream', header('21 31', UNIX), undefined],
    ['a Unix datagram', header('21 32', UNIX), undefined],
    ['an unspecified family', header('21 00'), undefined],
    ['an unspecified family with bytes to ignore', header('21 00', V4), undefined],
    ['IPv4 with an unspecified protocol', header('21 10', V4), undefined],
    ['IPv4 with an unspecified protocol, without addresses', header('21 10'), undefined],
    ['an unspecified family with a protocol', header('21 01'), undefined],
    ['LOCAL', header('20 00'), undefined],
    ['LOCAL with addresses', header('20 11', V4), undefined],
    ['LOCAL with an unknown family', header('20 ff', V4), undefined],
    ['LOCAL that is too short for its family', header('20 21', V4), undefined],
    ['LOCAL with bytes that only begin like a checksum', header('20 00', LIKE_CHECKSUM), undefined],
    ['LOCAL with an unknown family and such bytes', header('20 41', LIKE_CHECKSUM), undefined],
    ['an unspecified family with such bytes', header('21 00', LIKE_CHECKSUM), undefined],
    ['LOCAL with bytes that begin like two checksums', header('20 00', '03 0000 03 0000 01'), undefined],
    [
      'TLVs of an AWS Network Load Balancer',
      header('21 11', V4, 'ea 0006 012345678900', '04 0002 0000'),
      expect.anything(),
    ],
    ['empty TLVs', header('21 11', V4, '04 0000', '01 0000', 'ff 0000'), expect.anything()],
    ['a checksum', withChecksum(header('21 11', V4, '03 0004 00000000')), expect.anything()],
    [
      'a checksum between TLVs',
      withChecksum(header('21 11', V4, '04 0001 ff 03 0004 00000000 01 0002 6832')),
      expect.anything(),
    ],
    ['LOCAL with a checksum', withChecksum(header('20 00', '03 0004 00000000')), undefined],
  ])('contains the source for %s', (_, bytes, source) => {
    const complete = { kind: 'complete', length: bytes.length, source }
    expect(readProxyHeader(bytes)).toEqual(complete)
    expect(readProxyHeader(Buffer.concat([bytes, Buffer.from('GET /')]))).toEqual(complete)
  })

  it('is incomplete until its last byte, wherever it is split', () => {
    const bytes = withChecksum(header('21 21', V6, '20 0005 0100000000', '03 0004 00000000'))
    for (const slices of everySplit(Buffer.concat([bytes, Buffer.from('GET /')]))) {
      let received = Buffer.alloc(0)
      for (const slice of slices) {
        received = Buffer.concat([received, slice])
        expect(readProxyHeader(received).kind).toBe(received.length < bytes.length ? 'incomplete' : 'complete')
      }
    }
  })

  it.each([
    ['an unknown version', '11 11', 'version'],
    ['version 3', '31 11', 'version'],
    ['an unknown command', '22 11', 'command'],
    ['an unknown address family', '21 41', 'family'],
    ['an unknown protocol', '21 13', 'family'],
    ['an unknown protocol of an unspecified family', '21 03', 'family'],
  ])('is invalid with %s, before its length arrives', (_, start, reason) => {
    const expected = { kind: 'invalid', reason: expect.stringContaining(reason) }
    expect(readProxyHeader(header(start, V4))).toEqual(expected)
    expect(readProxyHeader(fromHex(SIGNATURE + start))).toEqual(expected)
  })

  it.each([
    ['IPv4 addresses', header('21 11', V4.slice(0, -2)), 'too short'],
    ['no addresses', header('21 11'), 'too short'],
    ['IPv6 addresses', header('21 21', V6.slice(0, -2)), 'too short'],
    ['Unix addresses', header('21 31', UNIX.slice(0, -2)), 'too short'],
    ['a TLV without its length', header('21 11', V4, '04 00'), 'within a TLV'],
    ['a TLV without its value', header('21 11', V4, '04 0001'), 'within a TLV'],
    ['a TLV that ends after the header', header('21 11', V4, '04 ffff 00'), 'within a TLV'],
  ])('is invalid with incomplete parts: %s', (_, bytes, reason) => {
    expect(readProxyHeader(bytes)).toEqual({ kind: 'invalid', reason: expect.stringContaining(reason) })
  })

  it('is invalid if any byte changes, because its checksum does not match', () => {
    for (const kind of ['21 11', '20 11']) {
      const bytes = withChecksum(header(kind, V4, '03 0004 00000000', '04 0001 00'))
      for (let at = 16; at < bytes.length; at++) {
        // A different TLV type or length hides the checksum.
        if (at >= 28 && at < 31) continue
        // If LOCAL has TLVs that do not end with the header, its bytes are ignored.
        if (kind === '20 11' && (at === 36 || at === 37)) continue
        const changed = Buffer.from(bytes)
        changed[at] = (changed[at] ?? 0) ^ 1
        expect(readProxyHeader(changed).kind).toBe('invalid')
      }
    }
  })

  it.each([
    ['of the wrong length', header('21 11', V4, '03 0003 000000')],
    ['that repeats', withChecksum(header('21 11', V4, '03 0004 00000000', '03 0004 00000000'))],
  ])('is invalid with a checksum %s', (_, bytes) => {
    expect(readProxyHeader(bytes)).toEqual({ kind: 'invalid', reason: expect.stringContaining('checksum') })
  })

  it.each([
    [4096, undefined],
    [300, 300],
    [65_551, 65_551],
  ])('has at most %i bytes', (maxBytes, option) => {
    expect(readProxyHeader(fill(maxBytes), option)).toMatchObject({ kind: 'complete', length: maxBytes })
    if (maxBytes === 65_551) return
    // The length alone is enough to reject it.
    expect(readProxyHeader(fill(maxBytes + 1).subarray(0, 16), option)).toMatchObject({ kind: 'invalid' })
  })

  it.each([
    ['\r\n\r\n', 'incomplete'],
    ['\r\nGET / HTTP/1.1', 'invalid'],
    ['\r\n\r\n\0\r\nQUIT\r', 'invalid'],
  ])('classifies the start %j as %s', (text, kind) => {
    expect(readProxyHeader(Buffer.from(text)).kind).toBe(kind)
  })
})
