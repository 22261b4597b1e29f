import { describe, expect, it } from 'vitest'
import { believedAddress, claimedAddress, UNIX_SOCKET } from './client-address.ts'
import { compileTrust, type ForwardingHeader, type TrustProxy } from './trusted-proxies.ts'

describe('claimedAddress', () => {
  it.each<[string, Record<string, string>, string | undefined, string | undefined]>([
    ['the first entry of x-forwarded-for', { 'x-forwarded-for': '1.1.1.1, 2.2.2.2' }, '127.0.0.1', '1.1.1.1'],
    [
      'x-forwarded-for before x-real-ip',
      { 'x-forwarded-for': '1.1.1.1', 'x-real-ip': '2.2.2.2' },
      '127.0.0.1',
      '1.1.1.1',
    ],
    ['x-real-ip before forwarded', { 'x-real-ip': '2.2.2.2', forwarded: 'for=3.3.3.3' }, '127.0.0.1', '2.2.2.2'],
    ['the first element of forwarded', { forwarded: 'for=3.3.3.3, for=4.4.4.4' }, '127.0.0.1', '3.3.3.3'],
    [
      'the next entry if one is not an address',
      { 'x-forwarded-for': 'unknown, 1.1.1.1', 'x-real-ip': '2.2.2.2' },
      undefined,
      '2.2.2.2',
    ],
    [
      'the peer if no entry is an address',
      { 'x-real-ip': '1.1.1.1, 2.2.2.2', forwarded: 'for=_x' },
      '127.0.0.4',
      '127.0.0.4',
    ],
    ['a mapped peer as IPv4', {}, '::ffff:127.0.0.1', '127.0.0.1'],
    ['a peer without its zone', {}, 'fe80::1%eth0', 'fe80::1'],
    ['an IPv6 peer', {}, '2001:db8::7', '2001:db8::7'],
    ['undefined for a peer that is not an address', {}, 'proxy] [x', undefined],
    ['undefined on a Unix socket', {}, undefined, undefined],
  ])('returns %s', (_, headers, peer, expected) => {
    expect(claimedAddress(new Headers(headers), peer)).toBe(expected)
  })
})

describe('believedAddress', () => {
  const BLOCKS = ['127.0.0.0/29', '10.0.0.0/8', '2001:db8:1::/48', '192.0.2.7']
  it.each<[TrustProxy, Record<string, string>, string | undefined, string | undefined]>([
    [false, { 'x-forwarded-for': '1.1.1.1' }, '127.0.0.1', '127.0.0.1'],
    [[], { 'x-forwarded-for': '1.1.1.1' }, '127.0.0.1', '127.0.0.1'],
    [BLOCKS, { 'x-forwarded-for': '1.1.1.1' }, '127.0.0.9', '127.0.0.9'],
    [BLOCKS, { 'x-forwarded-for': '1.1.1.1, 203.0.113.50, 10.0.0.1' }, '127.0.0.2', '203.0.113.50'],
    [BLOCKS, { 'x-forwarded-for': '10.0.0.5, 10.0.0.1' }, '127.0.0.2', '10.0.0.5'],
    [BLOCKS, { 'x-forwarded-for': '1.1.1.1, <script>' }, '127.0.0.2', '127.0.0.2'],
    [BLOCKS, { 'x-forwarded-for': '1.1.1.1, <script>, 10.0.0.1' }, '127.0.0.2', '10.0.0.1'],
    [BLOCKS, { 'x-forwarded-for': '', 'x-real-ip': '1.1.1.1' }, '127.0.0.2', '127.0.0.2'],
    [BLOCKS, { 'x-real-ip': '1.1.1.1' }, '127.0.0.2', '1.1.1.1'],
    [BLOCKS, { forwarded: 'for=1.1.1.1, for=2.2.2.2;by=x, for=10.0.0.1' }, '127.0.0.2', '2.2.2.2'],
    [BLOCKS, { forwarded: 'for=1.1.1.1, for="broken' }, '127.0.0.2', '127.0.0.2'],
    [BLOCKS, { 'x-forwarded-for': '1.1.1.1' }, '::ffff:127.0.0.2', '1.1.1.1'],
    [BLOCKS, { 'x-forwarded-for': '2.2.2.2' }, '2001:db8:1::5', '2.2.2.2'],
    [BLOCKS, { 'x-forwarded-for': '2.2.2.2' }, '192.0.2.7', '2.2.2.2'],
    [BLOCKS, { 'x-forwarded-for': '2.2.2.2' }, undefined, undefined],
    [BLOCKS, {}, '127.0.0.2', '127.0.0.2'],
    [0, { 'x-forwarded-for': '1.1.1.1' }, '127.0.0.1', '127.0.0.1'],
    [1, { 'x-forwarded-for': '1.1.1.1, 2.2.2.2' }, '127.0.0.1', '2.2.2.2'],
    [2, { 'x-forwarded-for': '1.1.1.1, 2.2.2.2' }, '127.0.0.1', '1.1.1.1'],
    [5, { 'x-forwarded-for': '1.1.1.1, 2.2.2.2' }, '127.0.0.1', '1.1.1.1'],
    [1, { 'x-forwarded-for': '1.1.1.1' }, undefined, '1.1.1.1'],
    [BLOCKS, { 'x-forwarded-for': '2.2.2.2' }, UNIX_SOCKET, '2.2.2.2'],
    [BLOCKS, { 'x-forwarded-for': '1.1.1.1, 2.2.2.2' }, UNIX_SOCKET, '2.2.2.2'],
    [BLOCKS, { 'x-forwarded-for': '1.1.1.1, 2.2.2.2, 10.0.0.1' }, UNIX_SOCKET, '2.2.2.2'],
    [BLOCKS, { 'x-forwarded-for': UNIX_SOCKET }, UNIX_SOCKET, undefined],
    [BLOCKS, {}, UNIX_SOCKET, undefined],
    [{ proxies: BLOCKS, header: 'forwarded' }, { forwarded: 'for=2.2.2.2' }, UNIX_SOCKET, '2.2.2.2'],
    [{ proxies: BLOCKS, header: 'forwarded' }, { 'x-forwarded-for': '1.1.1.1' }, UNIX_SOCKET, undefined],
    [{ proxies: 2, header: 'x-forwarded-for' }, { 'x-forwarded-for': '1.1.1.1, 2.2.2.2' }, UNIX_SOCKET, '1.1.1.1'],
    [1, { 'x-forwarded-for': '1.1.1.1, 2.2.2.2' }, UNIX_SOCKET, '2.2.2.2'],
    [0, { 'x-forwarded-for': '1.1.1.1' }, UNIX_SOCKET, undefined],
    [[], { 'x-forwarded-for': '1.1.1.1' }, UNIX_SOCKET, undefined],
    [false, { 'x-forwarded-for': '1.1.1.1' }, UNIX_SOCKET, undefined],
  ])('resolves trust %j, fields %j and peer %s to the address %s', (trust, headers, peer, expected) => {
    expect(believedAddress(new Headers(headers), peer, compileTrust(trust))).toBe(expected)
  })
})

describe('believedAddress with a named field', () => {
  const PROXIES = ['127.0.0.0/29', '10.0.0.0/8']
  const LIST = '1.1.1.1, 203.0.113.50, 10.0.0.1'
  const ELEMENTS = 'for=1.1.1.1, for=203.0.113.50, for=10.0.0.1'
  const FORGED = { 'x-forwarded-for': '6.6.6.6', 'x-real-ip': '6.6.6.6', forwarded: 'for=6.6.6.6' }

  it.each<[ForwardingHeader, string, string | undefined]>([
    ['x-forwarded-for', LIST, '203.0.113.50'],
    ['forwarded', ELEMENTS, '203.0.113.50'],
    ['x-real-ip', '203.0.113.50', '203.0.113.50'],
    ['x-forwarded-for', '10.0.0.5, 10.0.0.1', '10.0.0.5'],
  ])('reads only the field %s: %j', (header, value, expected) => {
    const headers = new Headers({ ...FORGED, [header]: value })
    expect(believedAddress(headers, '127.0.0.2', compileTrust({ proxies: PROXIES, header }))).toBe(expected)
    expect(believedAddress(headers, '127.0.0.9', compileTrust({ proxies: PROXIES, header }))).toBe('127.0.0.9')
  })

  it.each<[ForwardingHeader, string, string | undefined]>([
    ['x-forwarded-for', LIST, '203.0.113.50'],
    ['forwarded', ELEMENTS, '203.0.113.50'],
    ['x-real-ip', '203.0.113.50', '203.0.113.50'],
  ])('reads %s with a number of hops: %j', (header, value, expected) => {
    const headers = new Headers({ ...FORGED, [header]: value })
    expect(believedAddress(headers, '127.0.0.2', compileTrust({ proxies: 2, header }))).toBe(expected)
    expect(believedAddress(headers, '127.0.0.2', compileTrust({ proxies: 0, header }))).toBe('127.0.0.2')
  })

  it.each<[string, ForwardingHeader, string | null]>([
    ['is absent', 'x-forwarded-for', null],
    ['is empty', 'x-forwarded-for', ''],
    ['has a last entry that is not an address', 'x-forwarded-for', '1.1.1.1, unknown'],
    ['has an invalid entry before a trusted one', 'x-forwarded-for', '1.1.1.1, unknown, 10.0.0.1'],
    ['is absent', 'x-real-ip', null],
    ['is repeated', 'x-real-ip', '6.6.6.6, 203.0.113.50'],
    ['is absent', 'forwarded', null],
    ['is obfuscated', 'forwarded', 'for=_hidden'],
    ['is malformed', 'forwarded', 'for=1.1.1.1, for="203.0.113.50'],
    ['is malformed before a trusted one', 'forwarded', 'for=", for=10.0.0.1'],
  ])('returns undefined if the field %s: %s %j', (_, header, value) => {
    const headers = { get: (name: string) => (name === header ? value : FORGED[name as ForwardingHeader]) }
    for (const proxies of [PROXIES, 2]) {
      expect(believedAddress(headers, '127.0.0.2', compileTrust({ proxies, header }))).toBeUndefined()
    }
  })
})
