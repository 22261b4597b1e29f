import assert from 'node:assert/strict'
import { mutate, randomBytes, type FuzzTarget, type Random } from '@fw/testing/fuzz'
import { ContextCookies } from '../src/context/cookies.ts'
import { FieldListHeaders } from '../src/engine/fields/field-list-headers.ts'

/** Input: a client's `Cookie` field, and a cookie to set. */
interface Input {
  readonly field: string
  readonly name: string
  readonly value: string
}

const PAIRS: readonly string[] = [
  'a=b',
  'a=c',
  'b="q"',
  'c=%41',
  'd=%zz',
  'e=%C3%A9',
  'f==x',
  '=v',
  'g',
  'h=',
  '__proto__=p',
  'constructor=c',
  'toString=t',
  ' i = j ',
  'k=\xe9',
  'l=a,b',
  'm=a b',
  '$Version=1',
  'A=B',
  '%61=n',
]
const PIECES: readonly string[] = [';', ';;', '=', ' ', '\t', '%', '"', ',', '\xa0', '%0', '%ff', '\\', '__proto__']
const VALUES: readonly string[] = [
  '',
  'v',
  'a b',
  'a;b',
  'a=b',
  '%41',
  '"q"',
  '\u20ac',
  '\u{1f600}',
  '\r\nx: y',
  '\0',
  'a.b',
  '\xe9',
]
const NAMES: readonly string[] = [
  'a',
  'b',
  '__proto__',
  'a b',
  'a;b',
  'a=b',
  '',
  '\xe9',
  '\r\n',
  'session',
  'hasOwnProperty',
]
const SECRETS = ['new secret', 'old secret']

const target: FuzzTarget<Input> = {
  parser: 'Cookie (RFC 6265 §5.4), signatures, and what Set-Cookie sends',
  generate: (random) => ({
    field: field(random),
    name: random.pick(NAMES),
    value: random.pick(VALUES) + random.pick(VALUES),
  }),
  check({ field: received, name, value }) {
    checkReceived(received)
    checkReturned(name, value, received)
  },
}
export default target

function field(random: Random): string {
  if (random.chance(0.004)) return random.pick([...PIECES, ...PAIRS]).repeat(random.below(16_000))
  if (random.chance(0.02)) return randomBytes(random, 60)
  const text = [random.pick(PAIRS), ...random.list(0.7, () => random.pick(PAIRS))].join(random.pick(['; ', ';', ' ; ']))
  return random.chance(0.25) ? mutate(text, random, PIECES) : text
}

/** Checks that the first pair of each name is used, and that names from `Object.prototype` have no special meaning. */
function checkReceived(received: string): void {
  const { cookies } = contextWith(received)
  const expected = reference(received)
  assert.deepEqual([...cookies.names()].toSorted(), [...expected.keys()].toSorted())
  for (const [name, value] of expected) assert.equal(cookies.get(name), value)
  for (const name of ['toString', 'hasOwnProperty', 'missing']) {
    if (!expected.has(name)) assert.equal(cookies.get(name), null)
  }
  // No forged value is accepted as signed.
  for (const name of cookies.names()) assert.equal(cookies.get(name, { secrets: SECRETS }), null)
}

/**
 * Checks that a value is read back unchanged, signed or not, and only under its own name. Invalid input must throw a
 * `TypeError`.
 */
function checkReturned(name: string, value: string, received: string): void {
  for (const secrets of [undefined, SECRETS.slice(1)]) {
    const { cookies, sent } = contextWith('')
    try {
      cookies.set(name, value, secrets === undefined ? {} : { secrets })
    } catch (error) {
      assert.ok(error instanceof TypeError || error instanceof URIError)
      return
    }
    const [line = ''] = sent()
    assert.doesNotMatch(line, /[\0-\x1f\x7f-\uffff]/)
    const pair = line.slice(0, line.indexOf(';'))
    assert.match(line.slice(pair.length), /^(; [A-Za-z-]+(=[^;]*)?)*$/)
    const signed = secrets === undefined ? undefined : { secrets: SECRETS }
    assert.equal(contextWith(`${pair}; ${received}`).cookies.get(name, signed), value)
    if (signed === undefined) continue
    assert.equal(contextWith(`other${pair}`).cookies.get(`other${name}`, signed), null)
    assert.equal(contextWith(`${pair}x`).cookies.get(name, signed), null)
  }
}

function contextWith(received: string): { cookies: ContextCookies; sent: () => readonly string[] } {
  const prepared = new Map<string, string[]>()
  const responseHeaders = {
    getAll: (name: string) => prepared.get(name) ?? [],
    delete: (name: string) => void prepared.delete(name),
    append: (name: string, value: string) => void prepared.set(name, [...(prepared.get(name) ?? []), value]),
  }
  const headers = new FieldListHeaders(['cookie', received])
  const cookies = new ContextCookies({ headers, responseHeaders: responseHeaders as never, scheme: 'https' })
  return { cookies, sent: () => prepared.get('set-cookie') ?? [] }
}

/** Parses a `Cookie` field pair by pair. Keeps a value with invalid percent-encoding unchanged. */
function reference(received: string): Map<string, string> {
  const pairs = new Map<string, string>()
  // A one-character field contains no pair.
  if (received.length < 2) return pairs
  for (const pair of received.split(';')) {
    const mark = pair.indexOf('=')
    if (mark === -1) continue
    const name = withoutSpace(pair.slice(0, mark))
    const value = withoutSpace(pair.slice(mark + 1))
    if (pairs.has(name)) continue
    try {
      pairs.set(name, decodeURIComponent(value))
    } catch {
      pairs.set(name, value)
    }
  }
  return pairs
}

function withoutSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && ' \t'.includes(text[start] ?? '')) start++
  while (end > start && ' \t'.includes(text[end - 1] ?? '')) end--
  return text.slice(start, end)
}
