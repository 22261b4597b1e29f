import { describe, expect, it } from 'vitest'
import { judgeRequestHead, type JudgedHead, type ReceivedHead } from './request-head.ts'

const LIMITS = { maxRequestLineBytes: 100, maxFields: 3 }

/** Returns the head of a valid `GET /` with changes. */
function received(changes: Partial<ReceivedHead>): ReceivedHead {
  const isBinary = changes.version === '2' || changes.version === '3'
  return {
    version: '1.1',
    method: 'GET',
    target: changes.path ?? changes.authority ?? '/',
    scheme: isBinary ? 'https' : undefined,
    authority: isBinary ? 'a' : undefined,
    host: isBinary ? undefined : 'a',
    path: '/',
    protocol: undefined,
    allowsProtocol: false,
    contentLength: undefined,
    isChunked: false,
    te: undefined,
    expect: undefined,
    fieldCount: 1,
    ...changes,
  }
}

/** Returns the head of `CONNECT a:443` with changes. */
const connect = (changes: Partial<ReceivedHead>): ReceivedHead =>
  received({ method: 'CONNECT', scheme: undefined, authority: 'a:443', path: undefined, ...changes })

/** Returns the head of an extended CONNECT over HTTP/2 with changes. */
const extended = (changes: Partial<ReceivedHead>): ReceivedHead =>
  received({ version: '2', method: 'CONNECT', protocol: 'websocket', allowsProtocol: true, path: '/', ...changes })

describe('judgeRequestHead', () => {
  it.each<[what: string, head: ReceivedHead, want: Partial<JudgedHead>]>([
    ['an HTTP/1.1 request', received({}), { authority: 'a', contentLength: undefined, expectsContinue: false }],
    ['HTTP/1.0 without Host', received({ version: '1.0', host: undefined }), { authority: '' }],
    ['an HTTP/2 request', received({ version: '2' }), { authority: 'a' }],
    ['an HTTP/3 request', received({ version: '3' }), { authority: 'a' }],
    ['host instead of :authority', received({ version: '2', authority: undefined, host: 'b' }), { authority: 'b' }],
    [
      'host equal to :authority except for case',
      received({ version: '3', authority: 'a', host: 'A' }),
      { authority: 'a' },
    ],
    ['an absolute target with a different Host', received({ scheme: 'http', authority: 'b' }), { authority: 'b' }],
    ['an upper-case scheme', received({ version: '2', scheme: 'HTTPS' }), {}],
    ['http over HTTP/2', received({ version: '2', scheme: 'http' }), {}],
    ['CONNECT', connect({}), { authority: 'a:443' }],
    ['CONNECT over HTTP/3', connect({ version: '3', host: undefined }), { authority: 'a:443' }],
    ['an extended CONNECT', extended({}), { authority: 'a' }],
    ['an extended CONNECT over HTTP/3', extended({ version: '3' }), { authority: 'a' }],
    ['a :protocol with a version', extended({ protocol: 'own/1.0' }), {}],
    ['OPTIONS *', received({ method: 'OPTIONS', path: '*' }), {}],
    ['a Content-Length with leading zeros', received({ contentLength: '007' }), { contentLength: 7 }],
    ['the expectation 100-continue', received({ expect: '100-Continue' }), { expectsContinue: true }],
    ['a repeated expectation', received({ expect: '100-continue, 100-continue' }), { expectsContinue: true }],
    ['any expectation on HTTP/1.0', received({ version: '1.0', expect: 'tea' }), { expectsContinue: false }],
    ['te: trailers', received({ version: '2', te: 'Trailers' }), {}],
    ['a request line and a field count at their limits', received({ path: '/'.padEnd(87, 'a'), fieldCount: 3 }), {}],
  ])('accepts %s', (_what, head, want) => {
    expect(judgeRequestHead(head, LIMITS)).toMatchObject({ kind: 'ok', value: want })
  })

  it.each<[reason: string, head: ReceivedHead]>([
    ['Invalid method', received({ method: 'G(T' })],
    ['Invalid method', received({ method: '' })],
    ['Host missing', received({ host: undefined })],
    ['Host missing', received({ host: undefined, scheme: 'http', authority: 'a' })],
    ['Authority missing', received({ host: '' })],
    ['Authority missing', received({ version: '1.0', host: '' })],
    ['Authority missing', received({ scheme: 'http', authority: '' })],
    ['Authority missing', received({ version: '2', authority: undefined })],
    ['Authority missing', received({ version: '3', authority: '', host: 'a' })],
    ['Host given twice', received({ host: 'a, a' })],
    ['Host given twice', received({ version: '2', host: 'a,b' })],
    ['Host differs from the authority', received({ version: '2', host: 'b' })],
    ['Host differs from the authority', received({ version: '3', host: '' })],
    ['Scheme missing', received({ version: '2', scheme: undefined })],
    ['Scheme missing', received({ version: '3', scheme: '' })],
    ['Invalid request target', received({ version: '2', path: undefined })],
    ['Invalid request target', received({ path: '/a#b' })],
    ['Invalid request target', received({ path: '*' })],
    ['CONNECT with a scheme or a path', connect({ version: '2', path: '/' })],
    ['CONNECT with a scheme or a path', connect({ version: '3', scheme: 'https' })],
    ['CONNECT without a host and a port', connect({ authority: 'a' })],
    ['CONNECT without a host and a port', connect({ version: '2', authority: undefined, host: 'a:443' })],
    ['CONNECT with a body', connect({ contentLength: '0' })],
    ['CONNECT with a body', connect({ isChunked: true })],
    [':protocol without the setting that permits it', extended({ allowsProtocol: false })],
    [':protocol with a method other than CONNECT', extended({ method: 'GET' })],
    ['Invalid :protocol', extended({ protocol: '' })],
    ['Invalid :protocol', extended({ protocol: 'a b' })],
    ['Invalid :protocol', extended({ protocol: 'a/' })],
    ['Invalid :protocol', extended({ protocol: 'a/b/c' })],
    ['Scheme missing', extended({ scheme: undefined })],
    ['Invalid request target', extended({ path: undefined })],
    ['Invalid request target', extended({ path: '*' })],
    ['CONNECT with a body', extended({ contentLength: '0' })],
    ['Invalid Content-Length', received({ contentLength: '5, 5' })],
    ['TE with more than trailers', received({ version: '2', te: 'gzip' })],
    ['TE with more than trailers', received({ version: '3', te: 'trailers, gzip' })],
  ])('rejects a malformed head: %s', (reason, head) => {
    expect(judgeRequestHead(head, LIMITS)).toEqual({ kind: 'malformed', reason })
  })

  it.each<[status: number, reason: string, head: ReceivedHead]>([
    [400, 'Invalid authority', received({ host: 'a%zz' })],
    [400, 'Invalid authority', received({ host: ':80' })],
    [400, 'Invalid authority', received({ scheme: 'http', authority: 'u@a' })],
    [400, 'Invalid authority', received({ scheme: 'http', authority: 'a', host: '' })],
    [400, 'Invalid authority', received({ version: '2', authority: 'a%zz' })],
    [400, 'Invalid authority', received({ version: '3', authority: 'a%zz' })],
    [400, 'Invalid authority', connect({ authority: ':443' })],
    [400, 'Unknown scheme', received({ scheme: 'ftp', authority: 'a' })],
    [400, 'Unknown scheme', received({ version: '3', scheme: 'ftp' })],
    [421, 'Scheme is not https', received({ version: '3', scheme: 'HTTP' })],
    [414, 'Request line too long', received({ path: '/'.padEnd(88, 'a') })],
    [414, 'Request line too long', connect({ version: '2', authority: `${'a'.repeat(100)}:1` })],
    [431, 'Too many header fields', received({ fieldCount: 4 })],
    [417, 'Unknown expectation', received({ expect: 'tea' })],
    [417, 'Unknown expectation', received({ version: '2', expect: '100-continue, tea' })],
    [417, 'Unknown expectation', received({ version: '3', expect: '' })],
  ])('refuses with %i: %s', (status, reason, head) => {
    expect(judgeRequestHead(head, LIMITS)).toEqual({ kind: 'refused', status, reason })
  })
})
