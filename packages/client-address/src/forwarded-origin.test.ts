import { describe, expect, it } from 'vitest'
import { UNIX_SOCKET } from './client-address.ts'
import { forwardedOrigin } from './forwarded-origin.ts'
import { compileTrust, type ForwardingHeader, type OriginPart, type TrustedProxies } from './trusted-proxies.ts'

const PEER = '10.0.0.1'

interface Given {
  readonly peer?: string
  readonly proxies?: TrustedProxies
  readonly header?: ForwardingHeader
  readonly origin?: readonly OriginPart[]
}

function read(fields: Record<string, string>, given: Given = {}): unknown {
  const { peer = PEER, proxies = ['10.0.0.0/8'], header = 'x-forwarded-for', origin = ['scheme', 'host'] } = given
  const found = forwardedOrigin(new Headers(fields), peer, compileTrust({ proxies, header, origin }))
  return found === null ? null : [found.scheme, found.host]
}

const NOTHING = [undefined, undefined]
const FORWARDED: Given = { header: 'forwarded' }

describe('forwardedOrigin', () => {
  it.each<[string, Record<string, string>, unknown]>([
    [
      'both fields',
      { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'example.org:8443' },
      ['https', 'example.org:8443'],
    ],
    ['a scheme in upper case', { 'x-forwarded-proto': 'HTTPS' }, ['https', undefined]],
    ['the scheme of a WebSocket from Traefik', { 'x-forwarded-proto': 'wss' }, ['https', undefined]],
    ['the scheme of a WebSocket in cleartext', { 'x-forwarded-proto': 'ws' }, ['http', undefined]],
    ['neither field', {}, NOTHING],
    ['other fields', { forwarded: 'proto=https;host=a', 'x-forwarded-port': '8443' }, NOTHING],
    ['an unknown scheme', { 'x-forwarded-proto': 'ftp' }, null],
    ['an empty scheme', { 'x-forwarded-proto': '' }, null],
    ['two schemes', { 'x-forwarded-proto': 'https, http' }, null],
    ['the same scheme twice', { 'x-forwarded-proto': 'https,https' }, null],
    ['two hosts', { 'x-forwarded-host': 'a, b' }, null],
  ])('reads %s: %j', (_, fields, expected) => {
    expect(read(fields)).toEqual(expected)
  })

  it.each<[string, string, unknown]>([
    ['an element', 'for=192.0.2.1;proto=https;host="example.org:8443"', ['https', 'example.org:8443']],
    ['names and values in any letter case', 'For=192.0.2.1;Proto=HTTPS;Host=a', ['https', 'a']],
    ['no scheme', 'for=192.0.2.1', NOTHING],
    ['the element of the peer, not of the client', 'for=1.1.1.1;host=evil, for=192.0.2.1;host=a', [undefined, 'a']],
    ['the element of the outermost trusted proxy', 'for=192.0.2.1;host=a, for=10.0.0.2;host=inner', [undefined, 'a']],
    ['no element beyond it', 'host=evil, for=192.0.2.1;host=a, for=10.0.0.2;host=inner', [undefined, 'a']],
    ['the last element if it names no address', 'for=1.1.1.1;host=evil, for=unknown;host=a', [undefined, 'a']],
    ['two hosts in an element', 'for=192.0.2.1;host=a;host=b', null],
    ['two schemes in an element', 'for=192.0.2.1;proto=http;proto=https', null],
    ['an unknown scheme', 'for=192.0.2.1;proto=ftp', null],
    ['a malformed element', 'for=192.0.2.1;host="a', NOTHING],
  ])('reads from Forwarded %s: %s', (_, forwarded, expected) => {
    expect(read({ forwarded, 'x-forwarded-proto': 'ftp', 'x-forwarded-host': 'evil' }, FORWARDED)).toEqual(expected)
  })

  const BOTH = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'example.org' }
  const READ = ['https', 'example.org']

  it.each<[string, Given, unknown]>([
    ['a trusted peer', {}, READ],
    ['a peer that is not trusted: GHSA-444r-cwp2-x5xf', { peer: '192.0.2.1' }, NOTHING],
    ['an unknown peer', { peer: '' }, NOTHING],
    ['a peer within the number of hops', { proxies: 1, peer: '192.0.2.1' }, READ],
    ['a peer without hops', { proxies: 0 }, NOTHING],
    ['a Unix socket', { peer: UNIX_SOCKET }, READ],
    ['a Unix socket without proxies', { peer: UNIX_SOCKET, proxies: [] }, NOTHING],
    ['a peer that uses x-real-ip', { header: 'x-real-ip' }, READ],
    ['a peer for the scheme only', { origin: ['scheme'] }, ['https', undefined]],
    ['a peer for the host only', { origin: ['host'] }, [undefined, 'example.org']],
    ['a peer for neither', { origin: [] }, NOTHING],
  ])('returns the origin only from a trusted peer: %s', (_, given, expected) => {
    expect(read(BOTH, given)).toEqual(expected)
  })

  it('reads no origin if no field is named', () => {
    expect(forwardedOrigin(new Headers(BOTH), PEER, compileTrust(['10.0.0.0/8']))).toEqual({
      scheme: undefined,
      host: undefined,
    })
  })

  it.each<[unknown, string]>([
    ['scheme', `option "trustProxy.origin" must be a list of 'scheme' and 'host', got "scheme".`],
    [['port'], 'option "trustProxy.origin[0]" must be'],
  ])('refuses the parts %j', (origin, message) => {
    expect(() => compileTrust({ proxies: 1, header: 'forwarded', origin: origin as never })).toThrow(message)
  })
})
