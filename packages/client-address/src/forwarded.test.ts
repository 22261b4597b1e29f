import { describe, expect, it } from 'vitest'
import { firstForwardedFor, forwardedForFromLast } from './forwarded.ts'

it.each([
  ['192.0.2.60', 'for=192.0.2.60;proto=http;by=203.0.113.43'],
  ['[2001:db8::17]:4711', 'For="[2001:db8::17]:4711"'],
  ['192.0.2.43', 'for=192.0.2.43, for=198.51.100.17'],
  ['a', 'proto=https;for=a;host=example , by=b'],
  ['192.0.2.47', 'host="x;for=8.8.8.8, for=9.9.9.9";for=192.0.2.47'],
  ['1.2.3.4', 'host="a\\"b";for="\\1.2.3.4"'],
  ['a', 'for=a;;proto=b, ,for=c'],
  ['b', 'for=a;for=b'],
  ['a', 'for=a, for="b'],
  ['', 'for a, for=b'],
  // Names of Object.prototype.
  ['a', '__proto__=x;constructor=y;for=a;toString=z'],
  ['', '__proto__=x'],
  ['', ''],
])('returns the node %j for the first element of %j', (node, field) => {
  expect(firstForwardedFor(field)).toBe(node)
})

describe('forwardedForFromLast', () => {
  it.each([
    ['for=192.0.2.60;proto=http;by=203.0.113.43', ['192.0.2.60']],
    ['For="[2001:db8::17]:4711"', ['[2001:db8::17]:4711']],
    ['for=192.0.2.43, for=198.51.100.17', ['198.51.100.17', '192.0.2.43']],
    ['proto=https;for=a;host=example , by=b', ['', 'a']],
    ['for=a;;proto=b, ,for=c', ['c', '', 'a']],
    ['', ['']],
    ['__proto__=x, Constructor=y;for=a', ['a', '']],
    // A proxy adds one parameter (RFC 7239 §4). Another party added the second one.
    ['for=a, for=b;host=x;for=c', ['', 'a']],
  ])('reads %j as %j', (field, nodes) => {
    expect([...forwardedForFromLast(field)]).toEqual(nodes)
  })

  it.each([
    ['a comma', 'for=a, host="x;for=8.8.8.8, for=9.9.9.9";for=b', ['b', 'a']],
    ['text that looks like an element', 'for=a, for=b;host="x,for=9.9.9.9"', ['b', 'a']],
    ['text that looks like the beginning of an element', 'for=a, for=b;host="x, for=";by="y"', ['b', 'a']],
    ['an escaped quote', 'for=a, host="x\\", for=\\"y";for="\\1.2.3.4"', ['1.2.3.4', 'a']],
    ['an escaped comma', 'for=a, for=b;host="x\\,for=c"', ['b', 'a']],
    ['an escaped backslash at the end', 'for=a, for=b;host="x,\\\\"', ['b', 'a']],
  ])('reads an element with a quoted string that contains %s', (_, field, nodes) => {
    expect([...forwardedForFromLast(field)]).toEqual(nodes)
  })

  it.each(['for="', 'for="\\', 'x="a, y="b', '@', ';;=', 'for=a b', 'for=\\', '"'])(
    'reads the elements after %j and ends with an empty one',
    (malformed) => {
      expect([...forwardedForFromLast(`${malformed}, for=a;proto=https, for="b"`)]).toEqual(['b', 'a', ''])
    },
  )

  it.each(['for=a, for="b', 'for=a, for b', 'for=a, for=b\\'])('ends at a malformed last element: %j', (field) => {
    expect([...forwardedForFromLast(field)]).toEqual([''])
  })

  // A quadratic search would exceed the test's time limit.
  it.each([
    ['whitespace', `for=1.1.1.1,${' '.repeat(300_000)}"`],
    ['commas', `"${','.repeat(300_000)}"`],
    ['open quotes', 'x=",'.repeat(100_000)],
    ['quotes that open and close', ',a=";b="'.repeat(50_000)],
    ['quotes that open or close', 'x=";,'.repeat(60_000)],
    ['escapes', `for="${'\\,'.repeat(150_000)}`],
    ['text without a comma', `@${'a'.repeat(300_000)}`],
    ['pairs without a comma', `@${';a=b'.repeat(100_000)}`],
  ])('reads a long field of %s in linear time', (_, field) => {
    expect([...forwardedForFromLast(field)].at(-1)).toBe('')
  })
})
