import { describe, expect, it } from 'vitest'
import { checkVolume, compareResponse } from './check-response.ts'

describe('compareAnswer', () => {
  const right = {
    status: 200,
    type: 'text/plain; charset=utf-8',
    coding: '',
    etag: '',
    body: Buffer.from('hello'),
    countedBytes: 5,
  }
  const expected = { status: 200, type: 'text/plain', body: 'hello' }

  it('takes what is expected', () => {
    expect(() => compareResponse(expected, right)).not.toThrow()
  })

  it.each([
    ['status', { status: 201 }],
    ['type', { type: 'text/html' }],
    ['coding', { coding: 'br' }],
    ['content', { body: Buffer.from('hellO') }],
    ['content', { body: Buffer.from('hello ') }],
  ])('refuses another %s: %j', (what, difference) => {
    expect(() => compareResponse(expected, { ...right, ...difference })).toThrow(what)
  })
})

describe('checkVolume', () => {
  const load = { requests: 10, seconds: 1, p50Ms: 1, p99Ms: 1 }

  it.each([1000, 1200])('takes 10 answers of 100 bytes, 2 more begun, in %d bytes', (bytes) => {
    expect(() => checkVolume({ ...load, bytes }, 100, { connections: 2 })).not.toThrow()
  })

  it.each([999, 1201])('refuses them in %d bytes', (bytes) => {
    const check = (): void => checkVolume({ ...load, bytes }, 100, { connections: 2 })
    expect(check).toThrow(`10 answers came in ${bytes} bytes`)
  })
})
