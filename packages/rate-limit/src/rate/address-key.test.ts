import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressKey } from './address-key.ts'

describe('addressKey', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['fe80::1%eth0.100', 'fe80:0:0:0::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['::2:3:4:5:6:7:8', '0:2:3:4::/64'],
  ])('returns the /64 network of an IPv6 address (express-rate-limit#502): %s is %s', (address, key) => {
    expect(addressKey(address)).toBe(key)
  })

  it.each([
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:198.51.100.9', '198.51.100.9'],
    ['::FFFF:192.0.2.7', '192.0.2.7'],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
  ])('distinguishes IPv4-mapped clients (CVE-2026-30827): %s is %s', (address, key) => {
    expect(addressKey(address)).toBe(key)
  })

  it.each([
    ['::ffff:102:304', '1.2.3.4'],
    ['2001:db8:1234:5678::1.2.3.4', '2001:db8:1234:5678::/64'],
    ['2001:db8:1234:5678::102:304', '2001:db8:1234:5678::/64'],
    ['64:ff9b::1.2.3.4', '64:ff9b:0:0::/64'],
    ['::1.2.3.4', '0:0:0:0::/64'],
    ['::ffff:0:102:304', '0:0:0:0::/64'],
  ])('compares values instead of notations (express-rate-limit#667): %s is %s', (address, key) => {
    expect(addressKey(address)).toBe(key)
  })

  it('returns the same key for both spellings of an IPv4 client: GHSA-xpcf-pg52-r92g', () => {
    expect(addressKey('::ffff:127.0.0.1')).toBe(addressKey('127.0.0.1'))
  })

  it.each([
    [undefined, 'unknown'],
    ['not:an:address', 'not:an:address'],
    ['proxy', 'proxy'],
  ])('returns a key for %s, which is not an address', (address, key) => {
    expect(addressKey(address)).toBe(key)
  })

  it('matches the shortest form from URL for every address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const shown = new URL(`http://[${address}]/`).hostname.slice(1, -1)
        expect(addressKey(address)).toBe(addressKey(shown))
        const [head = '', tail] = shown.split('::')
        const first = head === '' ? [] : head.split(':')
        const last = tail === undefined || tail === '' ? [] : tail.split(':')
        const groups = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last]
        const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff'
        expect(addressKey(address)).toMatch(
          isMapped ? /^[\d.]+$/ : new RegExp(`^${groups.slice(0, 4).join(':')}::/64$`),
        )
      }),
    )
  })
})
