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
  ])('rejects %j', (trust) => {
    expect(() => compileTrust(trust as TrustProxy)).toThrow(TypeError)
  })

  it.each([-1, 1.5, NaN, { proxies: -1, header: 'forwarded' as const }])('rejects %o hops', (hops) => {
    expect(() => compileTrust(hops)).toThrow(RangeError)
  })

  it.each<[unknown, string]>([
    [
      '10.0.0.0/8',
      'x: option "trustProxy" must be false, a list of CIDR blocks, a number of hops or an object with proxies and ' +
        `header, got "10.0.0.0/8". Write { proxies: ['10.0.0.0/8'], header: 'x-forwarded-for' }, or false, a list of ` +
        'CIDR blocks or a number of hops.',
    ],
    [true, `header, got true. Write { proxies: ['10.0.0.0/8'], header`],
    [undefined, 'x: option "trustProxy" must be false, a list of CIDR blocks'],
    [undefined, 'got undefined.'],
    [-1, 'got -1. Write { proxies'],
    [['me'], `x: option "trustProxy[0]" must be a CIDR block, got "me". Write, for example, '10.0.0.0/8'.`],
    [
      { proxies: true, header: 'forwarded' },
      'x: option "trustProxy.proxies" must be a list of CIDR blocks or a number of hops, got true.',
    ],
    [
      { proxies: ['me'], header: 'forwarded' },
      `x: option "trustProxy.proxies[0]" must be a CIDR block, got "me". Write, for example, '10.0.0.0/8'.`,
    ],
    [
      { proxies: 0.5, header: 'forwarded' },
      'x: option "trustProxy.proxies" must be a list of CIDR blocks or a number of hops, got 0.5.',
    ],
    [
      { proxies: 1 },
      'x: option "trustProxy.header" must be "x-forwarded-for", "x-real-ip" or "forwarded", got undefined.',
    ],
    [{ header: 'forwarded' }, 'x: option "trustProxy.proxies" must be a list of CIDR blocks'],
    [{ proxies: 1, headers: 'forwarded' }, 'x: unknown option "trustProxy.headers". Did you mean "header"?'],
  ])('describes the error in %j', (trust, message) => {
    expect(() => compileTrust(trust as TrustProxy, 'x')).toThrow(message)
  })
})
