import { describe, expect, it } from 'vitest'
import { believedAddress, claimedAddress } from './client-address.ts'
import { compileTrust, type TrustProxy } from './trusted-proxies.ts'

describe('claimedAddress', () => {
  it.each<[string, Record<string, string>, string | undefined, string | undefined]>([
    ['the first entry of x-forwarded-for', { 'x-forwarded-for': '1.1.1.1, 2.2.2.2' }, '127.0.0.1', '1.1.1.1'],
    ['it before x-real-ip', { 'x-forwarded-for': '1.1.1.1', 'x-real-ip': '2.2.2.2' }, '127.0.0.1', '1.1.1.1'],
    ['x-real-ip before forwarded', { 'x-real-ip': '2.2.2.2', forwarded: 'for=3.3.3.3' }, '127.0.0.1', '2.2.2.2'],
    ['the first element of forwarded', { forwarded: 'for=3.3.3.3, for=4.4.4.4' }, '127.0.0.1', '3.3.3.3'],
    [
      'the next if one is no address',
      { 'x-forwarded-for': 'unknown, 1.1.1.1', 'x-real-ip': '2.2.2.2' },
      undefined,
      '2.2.2.2',
    ],
    ['the peer if none is one', { 'x-real-ip': '1.1.1.1, 2.2.2.2', forwarded: 'for=_x' }, '127.0.0.4', '127.0.0.4'],
    ['a mapped peer as IPv4', {}, '::ffff:127.0.0.1', '127.0.0.1'],
    ['a peer without its zone', {}, 'fe80::1%eth0', 'fe80::1'],
    ['an IPv6 peer', {}, '2001:db8::7', '2001:db8::7'],
    ['nothing of a peer that is no address', {}, 'proxy] [x', undefined],
    ['nothing on a Unix socket', {}, undefined, undefined],
  ])('is %s', (_, headers, peer, expected) => {
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
  ])('trusting %j, with %j from %s it is %s', (trust, headers, peer, expected) => {
    expect(believedAddress(new Headers(headers), peer, compileTrust(trust))).toBe(expected)
  })
})

describe('compileTrust', () => {
  it.each([
    [true],
    ['127.0.0.1'],
    [['10.0.0.0/33']],
    [['::1/129']],
    [['localhost']],
    [['10.0.0.0/8/8']],
    [['::ffff:10.0.0.0/104']],
    [[7]],
  ])('refuses %j', (trust) => {
    expect(() => compileTrust(trust as TrustProxy)).toThrow(TypeError)
  })

  it.each([-1, 1.5, NaN])('refuses %d hops', (hops) => {
    expect(() => compileTrust(hops)).toThrow(RangeError)
  })
})
