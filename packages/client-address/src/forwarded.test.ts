import { expect, it } from 'vitest'
import { forwardedFor } from './forwarded.ts'

it.each([
  ['for=192.0.2.60;proto=http;by=203.0.113.43', ['192.0.2.60']],
  ['For="[2001:db8::17]:4711"', ['[2001:db8::17]:4711']],
  ['for=192.0.2.43, for=198.51.100.17', ['192.0.2.43', '198.51.100.17']],
  ['proto=https;for=a;host=example , by=b', ['a', '']],
  ['host="x;for=8.8.8.8, for=9.9.9.9";for=192.0.2.47', ['192.0.2.47']],
  ['host="a\\"b";for="\\1.2.3.4"', ['1.2.3.4']],
  ['for=a;;proto=b, ,for=c', ['a', '', 'c']],
  ['', ['']],
  ['for=a, for="b', ['a', '']],
  ['for=a, for b, for=c', ['a', '']],
])('forwardedFor(%j) is %j', (field, nodes) => {
  expect(forwardedFor(field)).toEqual(nodes)
})

it('forwardedFor takes no longer for long runs of white space than for their length', () => {
  // A pattern that tries each way to share them out does not come to an end here within the time of a test.
  expect(forwardedFor(`for=1.1.1.1,${' '.repeat(300_000)}"`)).toEqual(['1.1.1.1', ''])
})
