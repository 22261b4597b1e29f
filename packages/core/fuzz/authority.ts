import assert from 'node:assert/strict'
import { mutate, randomBytes, Random, type FuzzTarget } from '@fw/testing/fuzz'
import { encodeFields, h3Frame } from '@fw/testing/h3'
import { ProtocolError } from '../src/engine/errors.ts'
import { Http3Error } from '../src/http3/errors.ts'
import { RequestReader } from '../src/http3/request-reader.ts'
import { DEFAULT_LIMITS } from '../src/options/limits.ts'
import { settings } from '../test/http2/frames.ts'
import { block, headers } from '../test/http2/hpack.ts'
import { ask as askHttp1 } from './http1/servers.ts'
import { ask as askHttp2 } from './http2/engine.ts'

/** Authority that a handler sees on one protocol; `undefined` if the protocol refuses the request. */
type Verdict = string | undefined

const HOSTS: readonly string[] = [
  'example.com',
  'EXAMPLE.com',
  'a',
  '192.0.2.1',
  '[::1]',
  '[2001:db8::1]',
  '[::1',
  '::1]',
  '[1.2.3.4]',
  '[::1%25eth0]',

  'a_b',
  'a..b',
  '.',
  'xn--a',
  'a%20b',
  'a%41',
  "!$&'()*+;=",
  'u@a',
  'u:p@a',
  'a b',
  'a,b',
  'a/b',
  'a?b',
  'a#b',
  'a\\b',
]
const PORTS: readonly string[] = [
  '',
  '',
  ':80',
  ':',
  ':0',
  ':65535',
  ':65536',
  ':080',
  ':-1',
  ':8a',
  '::80',
  ':99999999999',
]
const PIECES: readonly string[] = [
  ':',
  '[',
  ']',
  '@',
  '%',
  '.',
  ',',
  '/',
  '?',
  '#',
  '\\',
  ' ',
  '\x7f',
  '\x80',
  '<',
  '"',
  '|',
  '^',
]
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'

const target: FuzzTarget<string> = {
  parser: 'Host, :authority and absolute targets: one verdict on every protocol (RFC 9110 §7.2)',
  generate(random: Random) {
    if (random.chance(0.02)) return randomBytes(random, 30)
    const authority = random.pick(HOSTS) + random.pick(PORTS)
    return random.chance(0.4) ? mutate(authority, random, PIECES) : authority
  },
  async check(authority) {
    // HTTP/1.1 ignores whitespace around a field value (RFC 9110 §5.5).
    if (/^[ \t]|[ \t]$/.test(authority)) return
    const host = await overHttp1(`GET / HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)
    const verdicts = {
      http1: host,
      http2: await overHttp2(authority),
      http3: overHttp3(authority),
    }
    const all: Verdict = verdicts.http1
    assert.deepEqual(verdicts, { http1: all, http2: all, http3: all })
    checkAbsolute(authority, host, await overHttp1(`GET http://${authority}/ HTTP/1.1\r\nHost: a\r\n\r\n`))
    if (host !== undefined) checkMeaning(host)
  },
}
export default target

/**
 * Checks that absolute targets accept the same authorities. A slash, a question mark or a hash would end the
 * authority.
 */
function checkAbsolute(authority: string, host: Verdict, absolute: Verdict): void {
  if (/[/?#]/.test(authority)) return
  assert.equal(absolute, host, 'An absolute target and Host differ')
}

/** Checks that a URL parser finds only a host and a port in an accepted authority. */
function checkMeaning(authority: string): void {
  if (!URL.canParse(`http://${authority}/`)) return
  const { username, password, pathname, search, hash, host, port } = new URL(`http://${authority}/`)
  assert.deepEqual([username, password, pathname, search, hash], ['', '', '/', '', ''])
  assert.notEqual(host, '')
  const given = /:(\d+)$/.exec(authority)?.[1]
  assert.equal(Number(port || 80), given === undefined ? 80 : Number(given))
}

async function overHttp1(wire: string): Promise<Verdict> {
  const { requests, refusal } = await askHttp1([Buffer.from(wire, 'latin1')])
  if (refusal !== undefined) {
    assert.deepEqual(requests, [])
    return undefined
  }
  const [request] = requests
  assert.equal(requests.length, 1)
  return hostOf(request?.headers ?? [], request?.target ?? '')
}

async function overHttp2(authority: string): Promise<Verdict> {
  const fields = block([':method', 'GET'], [':scheme', 'http'], [':path', '/'], [':authority', authority])
  const bytes = Buffer.concat([Buffer.from(PREFACE), settings(), headers(1, fields)])
  const { requests } = await askHttp2([bytes], { random: Random.of(authority) })
  return requests.get(1)?.authority
}

function overHttp3(authority: string): Verdict {
  let verdict: Verdict
  const onHead = (head: { authority: string }): void => void (verdict = head.authority)
  const fields = encodeFields([
    [':method', 'GET'],
    [':scheme', 'https'],
    [':path', '/'],
    [':authority', authority],
  ])
  try {
    const reader = new RequestReader(DEFAULT_LIMITS, { onHead, onBody() {} })
    reader.push(h3Frame(1, fields))
    reader.end()
  } catch (error) {
    assert.ok(error instanceof Http3Error || error instanceof ProtocolError)
  }
  return verdict
}

function hostOf(fields: readonly (readonly [string, string])[], url: string): string | undefined {
  const authority = /^https?:\/\/([^/?#]*)/.exec(url)?.[1]
  return authority ?? fields.find(([name]) => name === 'host')?.[1]
}
