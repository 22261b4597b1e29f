import { App } from '@fw/core'
import { describe, expect, it } from 'vitest'
import { headersDistinctOf, headersOf, rawHeadersOf } from './request-headers.ts'

describe('headersOf()', () => {
  it.each<[string[], object]>([
    [['x-a', '1', 'x-a', '2'], { 'x-a': '1, 2' }],
    [['cookie', 'a=1', 'cookie', 'b=2'], { cookie: 'a=1; b=2' }],
    [['set-cookie', 'a=1', 'set-cookie', 'b=2'], { 'set-cookie': ['a=1', 'b=2'] }],
    [['set-cookie', 'a=1'], { 'set-cookie': ['a=1'] }],
    [['content-type', 'a/b', 'content-type', 'c/d'], { 'content-type': 'a/b' }],
    [['authorization', 'a', 'authorization', 'b'], { authorization: 'a' }],
    [['constructor', 'a', 'constructor', 'b'], { constructor: 'a, b' }],
    [['x-a', ''], { 'x-a': '' }],
  ])('joins %j as Node.js does', (raw, expected) => {
    expect(headersOf(raw)).toEqual(expected)
  })

  it('does not change the prototype of the object', () => {
    expect(Object.getPrototypeOf(headersOf(['__proto__', 'a']))).toBe(Object.prototype)
  })
})

describe('headersDistinctOf()', () => {
  it('lists the values of each name', () => {
    expect(headersDistinctOf(['x-a', '1', 'x-b', '2', 'x-a', '3'])).toEqual({ 'x-a': ['1', '3'], 'x-b': ['2'] })
  })
})

describe('rawHeadersOf()', () => {
  it.each<[string, RequestInit, string[]]>([
    ['adds the length of a body', { method: 'POST', body: 'abc' }, ['content-length', '3']],
    [
      'adds the framing of a body of unknown length',
      { method: 'POST', body: ReadableStream.from([Buffer.from('abc')]), duplex: 'half' },
      ['transfer-encoding', 'chunked'],
    ],
    ['adds no framing to a request without a body', {}, []],
  ])('%s', async (_, init, expected) => {
    const app = new App()
    let raw: string[] = []
    app.router.all('/', (ctx) => {
      raw = rawHeadersOf(ctx.exchange)
    })
    await app.fetch('/', init)
    expect(raw.slice(0, 1)).toEqual(['host'])
    expect(
      raw.slice(2).filter((_value, i, all) => /^(?:content-length|transfer-encoding)$/.test(all[i - (i % 2)] ?? '')),
    ).toEqual(expected)
  })
})
