import { everySplit } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { readProxyHeader } from './read-proxy-header.ts'

const REQUEST = 'GET / HTTP/1.1\r\n\r\n'
const V6 = 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'

function read(text: string): unknown {
  return readProxyHeader(Buffer.from(text, 'latin1'))
}

/** Returns a line with this many bytes. */
function fill(length: number): string {
  return `PROXY UNKNOWN ${'x'.repeat(length - 'PROXY UNKNOWN \r\n'.length)}\r\n`
}

describe('a version 1 header', () => {
  it.each([
    ['PROXY TCP4 192.0.2.1 192.0.2.2 56324 443\r\n', { address: '192.0.2.1', port: 56_324 }],
    ['PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n', { address: '255.255.255.255', port: 65_535 }],
    ['PROXY TCP4 0.0.0.0 0.0.0.0 0 0\r\n', { address: '0.0.0.0', port: 0 }],
    ['PROXY TCP6 2001:DB8::0:1 ::1 1 2\r\n', { address: '2001:db8::1', port: 1 }],
    [`PROXY TCP6 ${V6} ${V6} 65535 65535\r\n`, { address: V6, port: 65_535 }],
    ['PROXY TCP6 ::ffff:192.0.2.1 ::ffff:192.0.2.2 1 2\r\n', { address: '192.0.2.1', port: 1 }],
    ['PROXY TCP6 ::ffff:c000:201 ::1 1 2\r\n', { address: '192.0.2.1', port: 1 }],
    ['PROXY UNKNOWN\r\n', undefined],
    ['PROXY UNKNOWN \r\n', undefined],
    ['PROXY UNKNOWN anything  at all\x00\r\n', undefined],
    [`PROXY UNKNOWN ${V6} ${V6} 65535 65535\r\n`, undefined],
  ])('contains its source: %j', (line, source) => {
    const complete = { kind: 'complete', length: line.length, source }
    expect(read(line)).toEqual(complete)
    expect(read(line + REQUEST)).toEqual(complete)
  })

  it('is incomplete until its last byte, wherever it is split', () => {
    const line = 'PROXY TCP4 192.0.2.1 192.0.2.2 56324 443\r\n'
    for (const slices of everySplit(Buffer.from(line + REQUEST))) {
      let received = Buffer.alloc(0)
      for (const slice of slices) {
        received = Buffer.concat([received, slice])
        expect(readProxyHeader(received).kind).toBe(received.length < line.length ? 'incomplete' : 'complete')
      }
    }
  })

  it.each([
    ['PROXY TCP4 192.0.2.1 192.0.2.2 1\r\n', 'two ports'],
    ['PROXY TCP4 192.0.2.1 192.0.2.2 1 2 3\r\n', 'two ports'],
    ['PROXY TCP4 192.0.2.1 192.0.2.2 1 2 \r\n', 'two ports'],
    ['PROXY TCP4 192.0.2.1 192.0.2.2 01 2\r\n', 'two ports'],
    ['PROXY TCP4 192.0.2.1 192.0.2.2 1 00\r\n', 'two ports'],
    ['PROXY TCP4 192.0.2.1 192.0.2.2 65536 2\r\n', 'two ports'],
    ['PROXY TCP4 192.0.2.1 192.0.2.2 1 65536\r\n', 'two ports'],
    ['PROXY TCP4 192.0.2.1 192.0.2.2 +1 2\r\n', 'two ports'],
    ['PROXY TCP4 192.0.2.1 192.0.2.2 -1 2\r\n', 'two ports'],
    ['PROXY TCP4 192.0.2.1 192.0.2.2 0x1 2\r\n', 'two ports'],
    ['PROXY TCP4 192.0.2.1  1 2\r\n', 'TCP4'],
    ['PROXY TCP4 192.0.2.1\t192.0.2.2 1 2\r\n', 'TCP4'],
    ['PROXY TCP4 192.0.2.01 192.0.2.2 1 2\r\n', 'TCP4'],
    ['PROXY TCP4 192.0.2.256 192.0.2.2 1 2\r\n', 'TCP4'],
    ['PROXY TCP4 192.0.2 192.0.2.2 1 2\r\n', 'TCP4'],
    ['PROXY TCP4 192.0.2.1:80 192.0.2.2 1 2\r\n', 'TCP4'],
    ['PROXY TCP4 ::1 ::1 1 2\r\n', 'TCP4'],
    ['PROXY TCP4 192.0.2.1 ::1 1 2\r\n', 'TCP4'],
    ['PROXY TCP6 192.0.2.1 192.0.2.2 1 2\r\n', 'TCP6'],
    ['PROXY TCP6 [::1] ::1 1 2\r\n', 'TCP6'],
    ['PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n', 'TCP6'],
    ['PROXY TCP6 ::1 fe80::1%1 1 2\r\n', 'TCP6'],
    ['PROXY TCP6 1::2::3 ::1 1 2\r\n', 'TCP6'],
    ['PROXY TCP6 1:2:3:4:5:6:7:8:9 ::1 1 2\r\n', 'TCP6'],
    ['PROXY TCP6 12345::1 ::1 1 2\r\n', 'TCP6'],
    ['PROXY UDP4 192.0.2.1 192.0.2.2 1 2\r\n', 'unknown protocol'],
    ['PROXY tcp4 192.0.2.1 192.0.2.2 1 2\r\n', 'unknown protocol'],
    ['PROXY UNKNOWNS\r\n', 'unknown protocol'],
    ['PROXY  TCP4 192.0.2.1 192.0.2.2 1 2\r\n', 'unknown protocol'],
    ['PROXY \r\n', 'unknown protocol'],
    ['PROXY TCP4 192.0.2.1 192.0.2.2 1 2\n', 'CRLF'],
    ['PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\r\n', 'CRLF'],
    ['PROXY UNKNOWN\nGET / HTTP/1.1\r\n', 'CRLF'],
    ['PROXY UNKNOWN\rGET / HTTP/1.1\r\n', 'CRLF'],
    ['proxy TCP4 192.0.2.1 192.0.2.2 1 2\r\n', 'not a PROXY header'],
    [' PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n', 'not a PROXY header'],
    ['PROXY\r\n', 'not a PROXY header'],
    ['PROXYTCP4', 'not a PROXY header'],
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'not a PROXY header'],
    ['POST / HTTP/1.1\r\n', 'not a PROXY header'],
    [REQUEST, 'not a PROXY header'],
    ['\x16\x03\x01', 'not a PROXY header'],
  ])('is invalid as %j', (line, reason) => {
    expect(read(line)).toEqual({ kind: 'invalid', reason: expect.stringContaining(reason) })
  })

  it('has at most 107 bytes', () => {
    expect(read(fill(107))).toMatchObject({ kind: 'complete', length: 107 })
    expect(read(fill(108))).toMatchObject({ kind: 'invalid' })
    // The 106th byte can only be the CR.
    expect(read(fill(108).slice(0, 105))).toEqual({ kind: 'incomplete' })
    expect(read(fill(108).slice(0, 106))).toMatchObject({ kind: 'invalid' })
  })

  it.each(['', 'P', 'PROXY', 'PROXY ', 'PROXY TCP4 192', 'PROXY UNKNOWN', 'PROXY UNKNOWN\r'])(
    'is incomplete after %j',
    (line) => {
      expect(read(line)).toEqual({ kind: 'incomplete' })
    },
  )
})
