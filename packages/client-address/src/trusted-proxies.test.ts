import { describe, expect, it } from 'vitest'
import { compileTrust, type TrustProxy } from './trusted-proxies.ts'

describe('compileTrust', () => {
  it.each([
    [true],
    [null],
    ['127.0.0.1'],
    [['10.0.0.0/33']],
    [['::1/129']],
    [['localhost']],
    [['10.0.0.0/8/8']],
    [['::ffff:10.0.0.0/104']],
    [[7]],
    [{}],
    [{ proxies: 1 }],
    [{ proxies: ['localhost'], header: 'forwarded' }],
    [{ proxies: false, header: 'forwarded' }],
    [{ proxies: 1, header: 'X-Forwarded-For' }],
    [{ proxies: 1, header: 'cf-connecting-ip' }],
    [{ proxies: 1, header: 'forwarded', hops: 1 }],
  ])('refuses %j', (trust) => {
    expect(() => compileTrust(trust as TrustProxy)).toThrow(TypeError)
  })

  it.each([-1, 1.5, NaN, { proxies: -1, header: 'forwarded' as const }])('refuses %j hops', (hops) => {
    expect(() => compileTrust(hops)).toThrow(RangeError)
  })

  it.each<[unknown, string]>([
    [
      '10.0.0.0/8',
      "x: trustProxy is \"10.0.0.0/8\"; it takes { proxies: ['10.0.0.0/8'], header: 'x-forwarded-for' }, or false, " +
        'a list of CIDR blocks or a number of hops',
    ],
    [true, `x: trustProxy is true; it takes { proxies: ['10.0.0.0/8'], header`],
    [{ proxies: true, header: 'forwarded' }, 'x: trustProxy.proxies is not a list of CIDR blocks or a number of hops'],
    [{ proxies: ['me'], header: 'forwarded' }, `x: "me" in trustProxy.proxies is no CIDR block such as '10.0.0.0/8'`],
    [{ proxies: 0.5, header: 'forwarded' }, 'x: trustProxy.proxies is no number of hops'],
    [{ proxies: 1 }, 'x: trustProxy.header is none of x-forwarded-for, x-real-ip, forwarded'],
    [{ proxies: 1, headers: 'forwarded' }, `x: trustProxy has no 'headers'; there are: proxies, header`],
  ])('says of %j what is wrong', (trust, message) => {
    expect(() => compileTrust(trust as TrustProxy, 'x')).toThrow(message)
  })
})
