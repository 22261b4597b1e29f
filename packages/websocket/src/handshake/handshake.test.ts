import { HttpError } from '@fw/options'
import type { RequestHeaders } from '@fw/types'
import { describe, expect, it } from 'vitest'
import { type HandshakeRequest, readHandshake, selectProtocol } from './handshake.ts'

/** The key of the example in RFC 6455 §1.3. */
const KEY = 'dGhlIHNhbXBsZSBub25jZQ=='

const http1 = (
  fields: Record<string, string | undefined> = {},
  more: Partial<HandshakeRequest> = {},
): HandshakeRequest => ({
  method: 'GET',
  protocol: 'HTTP/1.1',
  upgradeProtocol: 'websocket',
  headers: headersOf({ 'sec-websocket-version': '13', 'sec-websocket-key': KEY, ...fields }),
  ...more,
})
const http2 = (
  fields: Record<string, string | undefined> = {},
  more: Partial<HandshakeRequest> = {},
): HandshakeRequest => ({
  ...http1({ 'sec-websocket-key': undefined, ...fields }),
  method: 'CONNECT',
  protocol: 'HTTP/2.0',
  ...more,
})

function headersOf(fields: Record<string, string | undefined>): RequestHeaders {
  const present = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return new Headers(present) as unknown as RequestHeaders
}

function refusalOf(request: HandshakeRequest): Pick<HttpError, 'status' | 'message' | 'headers'> | undefined {
  try {
    readHandshake(request)
    return undefined
  } catch (error) {
    if (error instanceof HttpError) return error
    throw error
  }
}

describe('readHandshake', () => {
  it('computes the accept value of the example in RFC 6455 §1.3', () => {
    expect(readHandshake(http1())).toEqual({ accept: 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=', protocols: [] })
  })

  it('needs no key on HTTP/2 and HTTP/3, and ignores one', () => {
    expect(readHandshake(http2())).toEqual({ accept: undefined, protocols: [] })
    expect(readHandshake(http2({ 'sec-websocket-key': 'x' }, { protocol: 'HTTP/3.0' })).accept).toBeUndefined()
  })

  it.each(['12', '8', '0', '255'])('refuses version %s with 426 and the supported version', (version) => {
    expect(refusalOf(http1({ 'sec-websocket-version': version }))).toMatchObject({
      status: 426,
      headers: { 'sec-websocket-version': '13' },
    })
    expect(refusalOf(http2({ 'sec-websocket-version': version }))?.status).toBe(426)
  })

  it.each([undefined, '', '13, 13', '+13', '13.0', '1300', 'thirteen'])(
    'refuses the malformed version %j with 400',
    (version) => {
      expect(refusalOf(http1({ 'sec-websocket-version': version }))).toMatchObject({ status: 400, headers: {} })
    },
  )

  it.each([
    undefined,
    '',
    'dGhlIHNhbXBsZSBub25jZQ',
    'dGhlIHNhbXBsZSBub25jZQ=',
    'dGhlIHNhbXBsZSBub25jZQ== ',
    'dGhlIHNhbXBsZSBub25j',
    'dGhlIHNhbXBsZSBub25jZSE=',
    'dGhlIHNhbXBsZSBub25jZ-==',
    `${KEY}, ${KEY}`,
  ])('refuses the key %j with 400', (key) => {
    const request = http1()
    const get = (name: string): string | null =>
      name === 'sec-websocket-key' ? (key ?? null) : request.headers.get(name)
    const headers = { get, has: (name: string) => get(name) !== null } as RequestHeaders
    expect(refusalOf({ ...request, headers })?.status).toBe(400)
  })

  it.each([undefined, 'h2c', 'websockets'])(
    'refuses the protocol %j with 426 on HTTP/1.1 and 400 elsewhere',
    (upgradeProtocol) => {
      expect(refusalOf(http1({}, { upgradeProtocol }))).toMatchObject({
        status: 426,
        headers: { upgrade: 'websocket' },
      })
      // HTTP/2 does not have `Upgrade`, which a 426 requires.
      expect(refusalOf(http2({}, { upgradeProtocol }))).toMatchObject({ status: 400, headers: {} })
    },
  )

  it.each([
    [{ 'content-length': '5' }, 400],
    [{ 'transfer-encoding': 'chunked' }, 400],
    [{ 'content-length': '0' }, 426],
    [{}, 426],
  ])('refuses a request with %j that cannot be upgraded with %i', (fields, status) => {
    const request = http1({ upgrade: 'h2c, WebSocket', ...fields }, { upgradeProtocol: undefined })
    expect(refusalOf(request)?.status).toBe(status)
  })

  it.each(['HEAD', 'POST', 'CONNECT'])('refuses %s on HTTP/1.1', (method) => {
    expect(refusalOf(http1({}, { method }))?.status).toBe(400)
  })

  it.each(['a', 'chat.v2', "!#$%&'*+-.^_`|~1"])('reads the subprotocol %s', (protocol) => {
    expect(readHandshake(http1({ 'sec-websocket-protocol': `${protocol}, other` })).protocols).toEqual([
      protocol,
      'other',
    ])
  })

  it.each(['a,', ',a', '', 'a b', 'a, a', 'a;q=1', '"a"', 'a/b'])('refuses the subprotocols %j with 400', (field) => {
    const request = http1()
    const get = (name: string): string | null => (name === 'sec-websocket-protocol' ? field : request.headers.get(name))
    const headers = { get, has: (name: string) => get(name) !== null } as RequestHeaders
    expect(refusalOf({ ...request, headers })?.status).toBe(400)
  })
})

describe('selectProtocol', () => {
  it('selects the first supported one in the order of the client', () => {
    expect(selectProtocol(['c', 'b', 'a'], ['a', 'b'])).toBe('b')
    expect(selectProtocol([], ['a', 'b'])).toBe('')
  })

  it('refuses a client that offers none of them, and names them', () => {
    expect(() => selectProtocol(['c'], ['a', 'b'])).toThrow(/Supported: a, b$/)
    expect(() => selectProtocol(['c'], [])).toThrow(/Supported: none$/)
    // Subprotocols are case-sensitive.
    expect(() => selectProtocol(['A'], ['a'])).toThrow(HttpError)
  })
})
