import { describe, expect, it } from 'vitest'
import { Flag, FrameType, data } from './frames.ts'
import { block, headers, type Field } from './hpack.ts'
import { RawClient, request } from './raw-client.ts'
import { serveEngines } from '../serve-engines.ts'
import { serveEcho } from './serve-echo.ts'

const METHOD: Field = [':method', 'GET']
const SCHEME: Field = [':scheme', 'http']
const AUTHORITY: Field = [':authority', 'localhost']
const PATH: Field = [':path', '/']
const RESET = 'stream PROTOCOL_ERROR'
const get = (...fields: readonly Field[]): Buffer => request('GET', '/', ...fields)

type Malformed = readonly [section: string, what: string, block: Buffer, outcome: string]

const MALFORMED: readonly Malformed[] = [
  ['8.2', 'an uppercase name', get(['X-A', '1']), RESET],
  ['8.2.2', 'connection', get(['connection', 'close']), RESET],
  ['8.2.2', 'proxy-connection', get(['proxy-connection', 'x']), RESET],
  ['8.2.2', 'keep-alive', get(['keep-alive', 'timeout=5']), RESET],
  ['8.2.2', 'transfer-encoding', get(['transfer-encoding', 'chunked']), RESET],
  ['8.2.2', 'upgrade', get(['upgrade', 'h2c']), RESET],
  ['8.2.2', 'te with another value', get(['te', 'gzip']), RESET],
  ['8.2.2', 'te with trailers and another value', get(['te', 'trailers, gzip']), RESET],
  ['8.3', 'an unknown pseudo-header field', get([':foo', 'b']), RESET],
  ['8.3', 'a response pseudo-header field', block(METHOD, [':status', '200'], SCHEME, AUTHORITY, PATH), RESET],
  ['8.3', 'a pseudo-header field after a field', block(METHOD, SCHEME, AUTHORITY, ['x-a', '1'], PATH), RESET],
  ['8.3', ':method twice', block(METHOD, METHOD, SCHEME, AUTHORITY, PATH), RESET],
  ['8.3', ':scheme twice', block(METHOD, SCHEME, SCHEME, AUTHORITY, PATH), RESET],
  ['8.3', ':path twice', block(METHOD, SCHEME, AUTHORITY, PATH, PATH), RESET],
  ['8.3', ':authority twice', block(METHOD, SCHEME, AUTHORITY, AUTHORITY, PATH), RESET],
  ['8.3.1', 'no :method', block(SCHEME, AUTHORITY, PATH), RESET],
  ['8.3.1', 'no :scheme', block(METHOD, AUTHORITY, PATH), RESET],
  ['8.3.1', 'no :path', block(METHOD, SCHEME, AUTHORITY), RESET],
  ['8.3.1', 'an empty :path', block(METHOD, SCHEME, AUTHORITY, [':path', '']), RESET],
  ['8.3.1', 'an empty :method', block([':method', ''], SCHEME, AUTHORITY, PATH), RESET],
  ['8.3.1', 'an empty :scheme', block(METHOD, [':scheme', ''], AUTHORITY, PATH), RESET],
  ['8.3.1', 'neither :authority nor host', block(METHOD, SCHEME, PATH), RESET],
  ['8.3.1', 'host twice', block(METHOD, SCHEME, PATH, ['host', 'a'], ['host', 'a']), RESET],
  ['8.3.1', 'a :path without a slash', request('GET', 'a'), RESET],
  ['8.3.1', '* with GET', request('GET', '*'), RESET],
  ['8.3.1', 'whitespace in :path', request('GET', '/ HTTP/1.1'), RESET],
  ['8.3.1', 'whitespace in :method', request('GET /x', '/'), RESET],
  ['8.3.1', 'CR LF in :path', request('GET', '/\r\nx: y'), RESET],
  ['8.3.1', 'NUL in :path', request('GET', '/\0'), RESET],
  ['8.3.1', 'user information', block(METHOD, SCHEME, [':authority', 'u@a'], PATH), 'status 400'],
  ['8.3.1', 'a fragment', request('GET', '/a#b'), RESET],
  ['8.3.1', 'a :scheme other than http and https', block(METHOD, [':scheme', 'ftp'], AUTHORITY, PATH), 'status 400'],
  ['8.3.1', 'a host that differs from :authority', get(['host', 'evil.example']), RESET],
  ['8.3.1', 'bad percent-encoding', block(METHOD, SCHEME, [':authority', 'a%zz'], PATH), 'status 400'],
  ['8.3.1', 'an :authority with a path', block(METHOD, SCHEME, [':authority', 'a/b'], PATH), 'status 400'],
  ['8.3.1', 'a port above 65,535', block(METHOD, SCHEME, [':authority', 'a:65536'], PATH), 'status 400'],
  ['8.3.1', 'an empty :authority', block(METHOD, SCHEME, [':authority', ''], PATH), RESET],
  ['8.5', 'CONNECT with :path', block([':method', 'CONNECT'], AUTHORITY, PATH), RESET],
  ['8.5', 'CONNECT with :scheme', block([':method', 'CONNECT'], SCHEME, AUTHORITY), RESET],
  ['8.5', 'CONNECT without a port', block([':method', 'CONNECT'], [':authority', 'a']), RESET],
  ['8.5', 'CONNECT without :authority', block([':method', 'CONNECT'], ['host', 'a']), RESET],
  [
    'RFC 8441 4',
    'extended CONNECT, which is disabled',
    block([':method', 'CONNECT'], [':protocol', 'websocket'], SCHEME, AUTHORITY, PATH),
    RESET,
  ],
  ['RFC 9110 8.6', 'two lengths', get(['content-length', '0'], ['content-length', '1']), RESET],
  ['RFC 9110 8.6', 'one length twice', get(['content-length', '0'], ['content-length', '0']), RESET],
  ['RFC 9110 8.6', 'a list of lengths', get(['content-length', '0, 0']), RESET],
  ['RFC 9110 8.6', 'a length with a sign', get(['content-length', '+0']), RESET],
  ['RFC 9110 8.6', 'a length of 20 digits', get(['content-length', '99999999999999999999']), RESET],
  ['8.1.1', 'a length above 0 and END_STREAM', get(['content-length', '5']), RESET],
]

describe('an invalid request (RFC 9113)', () => {
  it.each(MALFORMED)('does not reach a handler: §%s, %s', async (_section, _what, fieldBlock, outcome) => {
    const { client, exchanges } = await serveEcho()
    client.send(headers(1, fieldBlock))
    await expect.poll(() => client.outcome(1)).toBe(outcome)
    expect(exchanges).toEqual([])
    // §8.1.1: a stream error does not close the connection.
    expect(await client.serves(3)).toBe(true)
  })

  it('is reported with its method and target if it is answered', async () => {
    const { client, refusals } = await serveEcho({ maxFields: 2 })
    client.send(headers(1, request('PUT', '/a?b', ['x-1', ''], ['x-2', ''], ['x-3', ''])))
    client.send(headers(3, request('PUT', '/a', ['expect', 'tea'])))
    await expect
      .poll(() => refusals)
      .toMatchObject([
        { status: 431, method: 'PUT', target: '/a?b', protocol: 'HTTP/2.0', remoteAddress: '127.0.0.1' },
        { status: 417, method: 'PUT', target: '/a' },
      ])
  })
})

describe('a malformed request', () => {
  const MALFORMED_BLOCK = request('PUT', '/a', ['X-A', '1'])

  it('is reported with its method, target and reason', async () => {
    const { client, refusals } = await serveEcho()
    for (const streamId of [1, 3, 5]) client.send(headers(streamId, MALFORMED_BLOCK))
    await expect.poll(() => client.outcome(5)).toBe(RESET)
    const refusal = { status: 0, reason: 'Malformed request: an invalid field', method: 'PUT', target: '/a' }
    expect(refusals).toMatchObject([refusal, refusal, refusal])
  })

  it('is not reported when a connection closes normally', async () => {
    const { client, refusals } = await serveEcho()
    expect(await client.serves(1)).toBe(true)
    client.socket.end()
    await expect.poll(() => client.isClosed).toBe(true)
    expect(refusals).toEqual([])
  })
})

const INVALID_FIELDS: readonly (readonly [what: string, field: Field])[] = [
  ['CR LF in a value', ['x-a', 'b\r\nx-c: d']],
  ['LF in a value', ['x-a', 'b\nc']],
  ['NUL in a value', ['x-a', 'b\0c']],
  ['a value that starts with a space', ['x-a', ' b']],
  ['a value that ends with a tab', ['x-a', 'b\t']],
  ['a colon in a name', ['x:a', 'b']],
  ['a space in a name', ['x a', 'b']],
  ['an empty name', ['', 'b']],
]

describe('an invalid field (RFC 9113 §8.2.1)', () => {
  it.each(INVALID_FIELDS)('resets the request: %s', async (_what, field) => {
    const { client, exchanges } = await serveEcho()
    client.send(headers(1, get(['x-before', '1'], field, ['x-after', '2'])))
    await expect.poll(() => client.outcome(1)).toBe(RESET)
    expect(exchanges).toEqual([])
    expect(await client.serves(3)).toBe(true)
  })

  it('resets the request if it is in the trailers', async () => {
    const { client, outcomes } = await serveEcho()
    client.send(headers(1, request('POST'), 0), data(1, 'x'), headers(1, block(['x-t', 'a\nb'])))
    await expect.poll(() => client.outcome(1)).toBe(RESET)
    expect(outcomes).toMatchObject([{ aborted: true }])
  })
})

describe('a valid request (RFC 9113)', () => {
  it.each<readonly [section: string, what: string, block: Buffer, want: object]>([
    ['8.3', 'pseudo-header fields in any order', block(PATH, AUTHORITY, SCHEME, METHOD), { target: '/' }],
    ['8.3.1', 'host without :authority', block(METHOD, SCHEME, PATH, ['host', 'b:1']), { authority: 'b:1' }],
    ['8.3.1', 'host equal to :authority except for case', get(['host', 'LOCALHOST']), { authority: 'localhost' }],
    ['8.3.1', 'OPTIONS *', request('OPTIONS', '*'), { method: 'OPTIONS', target: '*' }],
    ['8.2.2', 'te: trailers', get(['te', 'trailers']), { method: 'GET' }],
    [
      '8.5',
      'CONNECT with an authority and a port',
      block([':method', 'CONNECT'], [':authority', 'a:1']),
      { method: 'CONNECT', target: 'a:1', authority: 'a:1' },
    ],
    ['9.1', 'an unregistered method', request('BREW', '/pot'), { method: 'BREW', target: '/pot' }],
  ])('reaches the handler: §%s, %s', async (_section, _what, fieldBlock, want) => {
    const { client, exchanges } = await serveEcho()
    client.send(headers(1, fieldBlock))
    await expect.poll(() => client.outcome(1)).toBe('status 200')
    expect(exchanges).toMatchObject([want])
  })

  it('contains one cookie field after the client splits it into several (§8.2.3)', async () => {
    const { client, exchanges } = await serveEcho()
    client.send(headers(1, get(['cookie', 'a=1'], ['cookie', 'b=2'], ['cookie', 'c=3'])))
    await expect.poll(() => client.outcome(1)).toBe('status 200')
    expect(exchanges[0]?.headers.get('cookie')).toBe('a=1; b=2; c=3')
  })

  it('can have trailers after its body (§8.1)', async () => {
    const { client } = await serveEcho()
    client.send(headers(1, request('POST'), 0), data(1, 'abc'), headers(1, block(['x-sum', '6'], ['x-b', '\xe9'])))
    await expect.poll(() => client.hasEnded(1)).toBe(true)
    expect(client.body(1)).toBe('abc')
    expect(client.sections(1).at(-1)).toEqual([
      ['x-sum', '6'],
      ['x-b', '\xe9'],
    ])
  })

  it('can have trailers without a body (§8.1)', async () => {
    const { client } = await serveEcho()
    client.send(headers(1, request('POST'), 0), headers(1, block(['x-sum', '0'])))
    await expect.poll(() => client.sections(1).at(-1)).toEqual([['x-sum', '0']])
  })
})

const MALFORMED_CONTENT: readonly (readonly [section: string, what: string, sent: readonly Buffer[], code: string])[] =
  [
    ['8.1.1', 'less content than announced', [data(1, 'x', Flag.END_STREAM)], RESET],
    ['8.1.1', 'more content than announced', [data(1, 'xyz')], RESET],
    ['8.1.1', 'more content than announced, and the end', [data(1, 'xyz', Flag.END_STREAM)], RESET],
    ['8.1.1', 'less content than announced, then trailers', [data(1, 'x'), headers(1, block(['x-t', '1']))], RESET],
    ['8.1', 'trailers with a pseudo-header field', [data(1, 'xy'), headers(1, block([':path', '/evil']))], RESET],
    ['8.1', 'trailers without END_STREAM', [data(1, 'xy'), headers(1, block(['x-t', '1']), 0)], RESET],
    [
      '8.2.2',
      'trailers with a connection-specific field',
      [data(1, 'xy'), headers(1, block(['connection', 'x']))],
      RESET,
    ],
  ]

describe('malformed content (RFC 9113)', () => {
  it.each(MALFORMED_CONTENT)('resets the request: §%s, %s', async (_section, _what, sent, outcome) => {
    const { client, outcomes } = await serveEcho()
    client.send(headers(1, request('POST', '/', ['content-length', '2']), 0), ...sent)
    await expect.poll(() => client.outcome(1)).toBe(outcome)
    await expect.poll(() => outcomes).toEqual([{ status: 0, bodyBytes: 0, aborted: true }])
    expect(await client.serves(3)).toBe(true)
  })
})

describe('a response (RFC 9113 §8.1)', () => {
  it.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ])('ends with its field section after %s with status %i', async (method, status) => {
    const { port } = await serveEngines((exchange) => exchange.respond(status, [], 'content'))
    const client = await RawClient.connect(port)
    client.send(headers(1, request(method)))
    await expect.poll(() => client.hasEnded(1)).toBe(true)
    expect(client.statuses(1)).toEqual([String(status)])
    expect(client.of(FrameType.DATA, 1)).toEqual([])
  })

  it('ends with its field section if it has no body', async () => {
    const { port } = await serveEngines((exchange) => exchange.respond(200, [], null))
    const client = await RawClient.connect(port)
    client.send(headers(1, request()))
    await expect.poll(() => client.hasEnded(1)).toBe(true)
    expect(client.of(FrameType.DATA, 1)).toEqual([])
    expect(client.reset(1)).toBeUndefined()
  })

  it('ends with its only DATA frame if respond() receives the whole body', async () => {
    const { port } = await serveEngines((exchange) => exchange.respond(200, [], 'hello'))
    const client = await RawClient.connect(port)
    client.send(headers(1, request()))
    await expect.poll(() => client.hasEnded(1)).toBe(true)
    await client.ping()
    expect(client.of(FrameType.DATA, 1)).toMatchObject([{ flags: Flag.END_STREAM }])
    expect(client.reset(1)).toBeUndefined()
  })

  it('arrives completely before RST_STREAM with NO_ERROR ends an unfinished request', async () => {
    const { port } = await serveEngines((exchange) => exchange.respond(413, [], 'too large'))
    const client = await RawClient.connect(port)
    client.send(headers(1, request('POST'), 0), data(1, 'x'))
    await expect.poll(() => client.reset(1)).toBe('NO_ERROR')
    expect([client.body(1), client.hasEnded(1)]).toEqual(['too large', true])
    const last = client.frames.findIndex(({ type }) => type === FrameType.RST_STREAM)
    expect(client.frames.slice(last).some(({ type }) => type === FrameType.DATA)).toBe(false)
  })

  it('ends with INTERNAL_ERROR if the handler aborts it', async () => {
    const { port } = await serveEngines((exchange) => {
      exchange.start(200, [])
      exchange.write(Buffer.from('half'))
      setImmediate(() => exchange.abort(new Error('broken')))
    })
    const client = await RawClient.connect(port)
    client.send(headers(1, request()))
    await expect.poll(() => client.reset(1)).toBe('INTERNAL_ERROR')
    expect(client.hasEnded(1)).toBe(false)
  })

  it('can follow several 1xx responses', async () => {
    const { port } = await serveEngines((exchange) => {
      exchange.inform(103, ['link', '</a>; rel=preload'])
      exchange.inform(103, ['link', '</b>; rel=preload'])
      exchange.respond(200, [], 'x')
    })
    const client = await RawClient.connect(port)
    client.send(headers(1, request()))
    await expect.poll(() => client.statuses(1)).toEqual(['103', '103', '200'])
  })

  it('keeps repeated fields separate, in order, and with Latin-1 bytes (§8.2)', async () => {
    const fields = ['set-cookie', 'a=1', 'x-a', '1', 'set-cookie', 'b=2', 'x-a', '\xe9']
    const { port } = await serveEngines((exchange) => exchange.respond(200, fields, null))
    const client = await RawClient.connect(port)
    client.send(headers(1, request()))
    await expect.poll(() => client.hasEnded(1)).toBe(true)
    const received = client.sections(1)[0]?.filter(([name]) => name === 'set-cookie' || name === 'x-a')
    expect(received?.flat()).toEqual(fields)
  })
})
