import type { TestField } from '@fw/testing'
import type { Limits } from '../../src/options/limits.ts'
import type { Seen, VerdictRequest } from './send.ts'

export type Version = 'HTTP/1.1' | 'HTTP/2' | 'HTTP/3'

/** A request and its result on every protocol. */
export interface Row {
  readonly what: string
  readonly request: VerdictRequest
  /** Status code on every protocol. */
  readonly status: number
  /**
   * Whether the message is malformed. HTTP/1.1 then closes the connection after the status. HTTP/2 and HTTP/3 reset the
   * stream with the error code for a malformed message.
   */
  readonly isMalformed?: true
  readonly limits?: Partial<Limits>
  /** The request that the handler receives. */
  readonly seen?: Partial<Seen>
  /** The protocols for which an RFC requires a different result. */
  readonly except?: Exception
}

export interface Exception {
  readonly versions: readonly Version[]
  readonly status: number
  readonly isMalformed?: true
  /** The clause that requires it. */
  readonly clause: string
  readonly seen?: Partial<Seen>
}

const BINARY: readonly Version[] = ['HTTP/2', 'HTTP/3']
const MALFORMED = { status: 400, isMalformed: true } as const
const post = (...fields: readonly TestField[]): VerdictRequest => ({ method: 'POST', fields, body: 'hello' })
const lengths = (...values: readonly string[]): VerdictRequest =>
  post(...values.map((value): TestField => ['content-length', value]))
const connect = (authority: string, ...fields: readonly TestField[]): VerdictRequest => ({
  method: 'CONNECT',
  authority,
  fields,
})
/** Creates a request with `count` fields. The first is `host`, which replaces `:authority` on HTTP/2 and HTTP/3. */
const fieldsWithHost = (count: number): VerdictRequest => ({
  authority: undefined,
  fields: Array.from({ length: count }, (_, i): TestField => (i === 0 ? ['host', 'a'] : [`x-${i}`, '1'])),
})
/** Creates a request whose request line `GET <path> HTTP/1.1` has `bytes` bytes. */
const lineOf = (bytes: number): VerdictRequest => ({ path: `/${'a'.repeat(bytes - 'GET / HTTP/1.1'.length)}` })

export const ROWS: readonly Row[] = [
  { what: 'a plain request', request: {}, status: 200, seen: { authority: 'example.com' } },

  // Content-Length (RFC 9110 §8.6).
  { what: 'a length', request: lengths('5'), status: 200, seen: { body: 'hello' } },
  { what: 'a length with leading zeros', request: lengths(`${'0'.repeat(40)}5`), status: 200, seen: { body: 'hello' } },
  { what: 'a list of equal lengths', request: lengths('5, 5'), ...MALFORMED },
  { what: 'a length twice', request: lengths('5', '5'), ...MALFORMED },
  { what: 'two lengths', request: lengths('5', '6'), ...MALFORMED },
  { what: 'an empty length', request: lengths(''), ...MALFORMED },
  { what: 'a length with a sign', request: lengths('+5'), ...MALFORMED },
  { what: 'a hexadecimal length', request: lengths('0x5'), ...MALFORMED },
  { what: 'a length of 2^53', request: lengths('9007199254740992'), ...MALFORMED },
  { what: 'a length of 30 digits', request: lengths('9'.repeat(30)), ...MALFORMED },

  // Authority (RFC 9110 §7.2, §4.2.1; RFC 3986 §3.2).
  { what: 'an authority with a port', request: { authority: 'a:80' }, status: 200, seen: { authority: 'a:80' } },
  { what: 'an authority with an empty port', request: { authority: 'a:' }, status: 200 },
  { what: 'a percent-encoded authority', request: { authority: 'a%C3%A9' }, status: 200 },
  { what: 'an IPv6 authority', request: { authority: '[::1]:80' }, status: 200, seen: { authority: '[::1]:80' } },
  { what: 'an IPvFuture authority', request: { authority: '[v1.a]' }, status: 200, seen: { authority: '[v1.a]' } },
  {
    what: 'an IPvFuture authority in an absolute target',
    request: { scheme: 'https', authority: '[v1.a]:1' },
    status: 200,
  },
  { what: 'an IPvFuture authority without a version', request: { authority: '[v.a]' }, status: 400 },
  { what: 'an authority with bad percent-encoding', request: { authority: 'a%zz' }, status: 400 },
  {
    what: 'an absolute target with bad percent-encoding',
    request: { scheme: 'https', authority: 'a%zz' },
    status: 400,
  },
  { what: 'an authority that ends in a percent sign', request: { authority: 'a%' }, status: 400 },
  { what: 'an authority without a host', request: { authority: ':80' }, status: 400 },
  { what: 'an absolute target without a host', request: { scheme: 'https', authority: ':80' }, status: 400 },
  { what: 'an empty authority', request: { authority: '' }, ...MALFORMED },
  { what: 'an empty authority in an absolute target', request: { scheme: 'https', authority: '' }, ...MALFORMED },
  { what: 'no authority', request: { authority: undefined }, ...MALFORMED },
  { what: 'an authority with user information', request: { authority: 'u@a' }, status: 400 },
  { what: 'an authority with a path', request: { authority: 'a/b' }, status: 400 },
  { what: 'an authority with a space', request: { authority: 'a b' }, status: 400 },
  { what: 'a port above 65,535', request: { authority: 'a:65536' }, status: 400 },
  { what: 'a port that is not a number', request: { authority: 'a:b' }, status: 400 },
  { what: 'a malformed IPv6 address', request: { authority: '[1::2::3]' }, status: 400 },
  {
    what: 'host twice',
    request: {
      authority: undefined,
      fields: [
        ['host', 'a'],
        ['host', 'a'],
      ],
    },
    ...MALFORMED,
  },
  { what: 'a list of hosts', request: { authority: undefined, fields: [['host', 'a,b']] }, ...MALFORMED },
  {
    what: 'an invalid host in addition to an authority',
    request: { host: 'a b' },
    status: 400,
    except: {
      versions: BINARY,
      ...MALFORMED,
      clause: 'RFC 9113 §8.3.1, RFC 9114 §4.3.1: a host that differs is malformed',
    },
  },
  {
    what: 'a host that differs from the authority',
    request: { scheme: 'https', authority: 'a', host: 'b' },
    status: 200,
    seen: { authority: 'a', host: 'a' },
    except: {
      versions: BINARY,
      ...MALFORMED,
      clause: 'RFC 9113 §8.3.1, RFC 9114 §4.3.1; on HTTP/1.1 the target takes precedence (RFC 9112 §3.2.2)',
    },
  },
  {
    what: 'a host that is the authority',
    request: { scheme: 'https', host: 'example.com' },
    status: 200,
    seen: { host: 'example.com' },
  },

  // CONNECT (RFC 9110 §9.3.6).
  { what: 'CONNECT', request: connect('a:443'), status: 200, seen: { authority: 'a:443' } },
  { what: 'CONNECT without a port', request: connect('a'), ...MALFORMED },
  { what: 'CONNECT with an empty port', request: connect('a:'), ...MALFORMED },
  { what: 'CONNECT with an invalid host', request: connect('a%zz:1'), status: 400 },
  { what: 'CONNECT with a length', request: connect('a:443', ['content-length', '5']), ...MALFORMED },
  { what: 'CONNECT with a length of 0', request: connect('a:443', ['content-length', '0']), ...MALFORMED },

  // Tunnels (RFC 9110 §7.8, RFC 8441 §4, RFC 9220 §3).
  { what: 'a tunnel', request: { tunnel: 'own', path: '/a?b' }, status: 200, seen: { authority: 'example.com' } },
  { what: 'a tunnel for a protocol with a version', request: { tunnel: 'own/1.0' }, status: 200 },
  { what: 'a tunnel with an IPv6 authority', request: { tunnel: 'own', authority: '[::1]:80' }, status: 200 },
  { what: 'a tunnel with an invalid authority', request: { tunnel: 'own', authority: 'a%zz' }, status: 400 },
  { what: 'a tunnel without an authority', request: { tunnel: 'own', authority: undefined }, ...MALFORMED },
  { what: 'a tunnel with a path without a slash', request: { tunnel: 'own', path: 'a' }, ...MALFORMED },
  { what: 'a tunnel with the path *', request: { tunnel: 'own', path: '*' }, ...MALFORMED },
  { what: 'a tunnel with a fragment', request: { tunnel: 'own', path: '/a#b' }, ...MALFORMED },
  { what: 'a tunnel with an unknown scheme', request: { tunnel: 'own', scheme: 'ftp' }, status: 400 },
  {
    what: 'a tunnel with a request line above the limit',
    request: { tunnel: 'own', path: `/${'a'.repeat(100)}` },
    limits: { maxRequestLineBytes: 100 },
    status: 414,
  },
  {
    what: 'a tunnel for an invalid protocol',
    request: { tunnel: 'o wn' },
    status: 200,
    except: {
      versions: BINARY,
      ...MALFORMED,
      clause: 'RFC 8441 §4: the value is a token; on HTTP/1.1 a server can ignore Upgrade (RFC 9110 §7.8)',
    },
  },
  {
    what: 'a tunnel with a length of 0',
    request: { tunnel: 'own', fields: [['content-length', '0']] },
    status: 200,
    except: { versions: BINARY, ...MALFORMED, clause: 'RFC 9110 §9.3.6: CONNECT; on HTTP/1.1 the method is GET' },
  },

  // Target (RFC 9112 §3.2, RFC 9113 §8.3.1, RFC 9114 §4.3.1).
  { what: 'OPTIONS *', request: { method: 'OPTIONS', path: '*' }, status: 200 },
  { what: '* with a method other than OPTIONS', request: { path: '*' }, ...MALFORMED },
  { what: 'a path without a slash', request: { path: 'a' }, ...MALFORMED },
  { what: 'a path with a fragment', request: { path: '/a#b' }, ...MALFORMED },
  { what: 'a path with a space', request: { path: '/a b' }, ...MALFORMED },
  { what: 'a path with a byte above 127', request: { path: '/\xe9' }, ...MALFORMED },
  { what: 'a request line at the limit', request: lineOf(100), limits: { maxRequestLineBytes: 100 }, status: 200 },
  { what: 'a request line above the limit', request: lineOf(101), limits: { maxRequestLineBytes: 100 }, status: 414 },
  {
    what: 'a CONNECT request line above the limit',
    request: connect(`${'a'.repeat(100)}:1`),
    limits: { maxRequestLineBytes: 100 },
    status: 414,
  },

  // Scheme (RFC 3986 §3.1: without case).
  { what: 'a scheme in upper case', request: { scheme: 'HTTPS' }, status: 200 },
  { what: 'an unknown scheme', request: { scheme: 'ftp' }, status: 400 },
  {
    what: 'the scheme http',
    request: { scheme: 'http' },
    status: 200,
    except: {
      versions: ['HTTP/3'],
      status: 421,
      clause: 'RFC 9114 §3.1.2: http is not served over QUIC unless the server announces it; RFC 9110 §7.4',
    },
  },

  // Fields.
  {
    what: 'as many fields as allowed',
    request: fieldsWithHost(5),
    limits: { maxFields: 5 },
    status: 200,
  },
  {
    what: 'more fields than allowed',
    request: fieldsWithHost(6),
    limits: { maxFields: 5 },
    status: 431,
  },
  {
    what: 'a cookie, which HTTP/2 and HTTP/3 split, as one field',
    request: {
      fields: [
        ['cookie', 'a=1'],
        ['x-a', '1'],
        ['cookie', 'b=2'],
        ['cookie', 'c=3'],
      ],
    },
    limits: { maxFields: 3 },
    status: 200,
    except: {
      versions: ['HTTP/1.1'],
      status: 431,
      clause: 'RFC 6265 §5.4: one Cookie field; only RFC 9113 §8.2.3 and RFC 9114 §4.2.1 permit parts',
    },
  },
  { what: 'an unknown expectation', request: post(['content-length', '5'], ['expect', 'tea']), status: 417 },
  {
    what: 'an unknown expectation after a known one',
    request: post(['content-length', '5'], ['expect', '100-continue'], ['expect', 'tea']),
    status: 417,
  },
  { what: 'an unknown expectation without a body', request: { fields: [['expect', 'tea']] }, status: 417 },

  // Trailers (RFC 9110 §6.5.1).
  {
    what: 'trailers',
    request: { method: 'POST', body: 'hello', trailers: [['x-sum', '1']] },
    status: 200,
    seen: { body: 'hello', trailers: ['x-sum', '1'] },
  },
  {
    what: 'trailers that must be fields of the head',
    request: {
      method: 'POST',
      body: 'hello',
      trailers: ['authorization', 'content-length', 'content-type', 'cookie', 'host', 'if-match', 'range', 'te']
        .map((name): TestField => [name, '1'])
        .toSpliced(3, 0, ['x-sum', '1']),
    },
    status: 200,
    seen: { trailers: ['x-sum', '1'] },
  },
  {
    what: 'more trailers than allowed, some of them discarded',
    request: {
      method: 'POST',
      body: 'hello',
      trailers: [
        ['cookie', '1'],
        ['x-a', '1'],
      ],
    },
    limits: { maxTrailerFields: 2 },
    status: 200,
    seen: { trailers: ['x-a', '1'] },
  },
]
