import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { checkVolume, compareResponse } from './check-response.ts'

describe('compareResponse', () => {
  const right = {
    status: 200,
    type: 'text/plain; charset=utf-8',
    coding: '',
    etag: '',
    body: Buffer.from('hello'),
    countedBytes: 5,
  }
  const expected = { status: 200, type: 'text/plain', body: 'hello' }

  it('accepts the expected response', () => {
    expect(() => compareResponse(expected, right)).not.toThrow()
  })

  it('compares the decoded body of a peer that encodes it', () => {
    const encoded = { ...right, coding: 'gzip', body: gzipSync('hello') }
    expect(() => compareResponse({ ...expected, coding: 'gzip', isDecoded: true }, encoded)).not.toThrow()
    const other = { ...encoded, body: gzipSync('hellO') }
    expect(() => compareResponse({ ...expected, coding: 'gzip', isDecoded: true }, other)).toThrow('content')
  })

  it.each([
    ['status', { status: 201 }],
    ['type', { type: 'text/html' }],
    ['coding', { coding: 'br' }],
    ['content', { body: Buffer.from('hellO') }],
    ['content', { body: Buffer.from('hello ') }],
  ])('rejects a response with a different %s: %j', (what, difference) => {
    expect(() => compareResponse(expected, { ...right, ...difference })).toThrow(what)
  })
})

describe('checkVolume', () => {
  const load = { requests: 10, seconds: 1, p50Ms: 1, p99Ms: 1 }

  it.each([1000, 1200])('accepts %d bytes for 10 responses of 100 bytes and at most 2 partial ones', (bytes) => {
    expect(() => checkVolume({ ...load, bytes }, 100, { connections: 2 })).not.toThrow()
  })

  it.each([999, 1201])('rejects %d bytes for 10 responses of 100 bytes', (bytes) => {
    const check = (): void => checkVolume({ ...load, bytes }, 100, { connections: 2 })
    expect(check).toThrow(`10 responses have ${bytes} bytes`)
  })
})
