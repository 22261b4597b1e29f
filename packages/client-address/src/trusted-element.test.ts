import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { believedAddress } from './client-address.ts'
import { compileTrust, type TrustProxy } from './trusted-proxies.ts'

const TRUSTED = ['127.0.0.0/8', '10.0.0.0/8']

/** A field value from a client: no control characters except tabs, but many syntax characters. */
const bytes = fc
  .array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom(
          ...',";=\\ \t[]:@'.split(''),
          'for=',
          'for="',
          '6.6.6.6',
          '127.0.0.1',
          ', ',
          '\\"',
          ';x="',
        ),
      },
      { weight: 1, arbitrary: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) },
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''))

const quoted = bytes.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`)
const token = fc.stringMatching(/^[!#$%&'*+.^_`|~\dA-Za-z-]+$/, { maxLength: 10 })
const otherPair = fc
  .tuple(fc.constantFrom('by', 'host', 'proto', 'x'), fc.oneof(token, quoted))
  .map((pair) => pair.join('='))

/** A well-formed `Forwarded` element with this address. */
function elementFor(address: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const node = fc.tuple(address, fc.constantFrom('', ':80', ':_x'), fc.boolean()).map(([text, port, isQuoted]) => {
    const host = text.includes(':') ? `[${text}]${port}` : `${text}${port}`
    return isQuoted || host.includes(':') ? `for="${host}"` : `for=${host}`
  })
  return fc
    .tuple(fc.array(otherPair, { maxLength: 2 }), node, fc.array(otherPair, { maxLength: 2 }))
    .map(([before, self, after]) => [...before, self, ...after].join(';'))
}

const outside = fc.constantFrom('203.0.113.9', '2001:db8::9')
const inside = fc.constantFrom('10.0.0.1', '127.0.0.3')
const separator = fc.constantFrom(',', ', ', ' ,\t')

function believed(field: string, header: string, trust: TrustProxy): string | undefined {
  return believedAddress({ get: (name) => (name === header ? field : null) }, '127.0.0.1', compileTrust(trust))
}

it.each<[TrustProxy, TrustProxy]>([
  [TRUSTED, 1],
  [
    { proxies: TRUSTED, header: 'forwarded' },
    { proxies: 1, header: 'forwarded' },
  ],
])("returns the trusted proxy's element after arbitrary bytes from a client: %j, %j", (blocks, hops) => {
  const element = outside.chain((address) => fc.tuple(fc.constant(address), elementFor(fc.constant(address))))
  fc.assert(
    fc.property(bytes, separator, element, (sent, comma, [address, appended]) => {
      expect(believed(sent + comma + appended, 'forwarded', blocks)).toBe(address)
      expect(believed(sent + comma + appended, 'forwarded', hops)).toBe(address)
    }),
    { numRuns: 2000 },
  )
})

it.each<[TrustProxy, TrustProxy]>([
  [TRUSTED, 2],
  [
    { proxies: TRUSTED, header: 'forwarded' },
    { proxies: 2, header: 'forwarded' },
  ],
])('returns the first untrusted element in a proxy chain after arbitrary bytes: %j, %j', (blocks, hops) => {
  const outer = outside.chain((address) => fc.tuple(fc.constant(address), elementFor(fc.constant(address))))
  fc.assert(
    fc.property(bytes, separator, outer, elementFor(inside), (sent, comma, [address, appended], inner) => {
      expect(believed([sent, appended, inner].join(comma), 'forwarded', blocks)).toBe(address)
      expect(believed([sent, appended, inner].join(comma), 'forwarded', hops)).toBe(address)
    }),
    { numRuns: 1000 },
  )
})

it.each<[TrustProxy]>([[TRUSTED], [1], [{ proxies: TRUSTED, header: 'x-forwarded-for' }]])(
  "returns the trusted proxy's entry in x-forwarded-for after arbitrary bytes: %j",
  (trust) => {
    fc.assert(
      fc.property(bytes, separator, outside, (sent, comma, address) => {
        expect(believed(sent + comma + address, 'x-forwarded-for', trust)).toBe(address)
      }),
    )
  },
)
