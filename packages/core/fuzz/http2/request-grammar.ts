import type { Random } from '@fw/testing/fuzz'
import type { Field } from '../../test/http2/hpack.ts'

type Choice = readonly [string, ...string[]]

const METHODS: Choice = ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'M-SEARCH', 'get', 'CONNECT', 'G(T', '']
const PATHS: Choice = [
  '/',
  '/a?b=c',
  '/index.html',
  '/%00',
  '/a#b',
  '/\xe9',
  '*',
  '//a',
  '/ b',
  'a',
  '',
  '/\0',
  'http://a/',
  '/"<>',
]
const SCHEMES: Choice = ['http', 'https', 'HTTP', 'ftp', '']
const AUTHORITIES: Choice = ['a', 'a:80', '[::1]:1', 'A', '', 'a b', 'u@a', 'b', 'a:x', 'a,b']
const PROTOCOLS: Choice = ['websocket', 'WebSocket', 'connect-udp', 'a/1', '', 'a b', 'a,b', 'a/', '\xe9']
const LENGTHS: Choice = [
  '0',
  '3',
  '3',
  '6',
  '03',
  '+3',
  '-3',
  '3, 3',
  '',
  '9999999999999999',
  '99999999999999999999',
  ' 3',
  '3x',
]
const FIELDS: readonly [Field, ...Field[]] = [
  ['accept', '*/*'],
  ['accept-encoding', 'gzip, deflate'],
  ['accept-encoding', 'gzip, deflate, br, zstd'],
  [
    'user-agent',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  ],
  ['priority', 'u=1'],
  ['priority', 'u=5, i'],
  ['cookie', 'a=b'],
  ['cookie', 'c=d; e=f'],
  ['authorization', 'Bearer x'],
  ['x-empty', ''],
  ['x-high', '\xe9\xff'],
  ['x-tab', 'a\tb'],
  ['x-long', 'v'.repeat(300)],
  ['x_under', '1'],
  ['te', 'trailers'],
  ['expect', '100-continue'],
  ['range', 'bytes=0-'],
]
const ODD_FIELDS: readonly [Field, ...Field[]] = [
  ['Accept', '*/*'],
  ['x-Upper', '1'],
  ['', 'no name'],
  ['sp ace', '1'],
  ['x:y', '1'],
  [':unknown', '1'],
  [':status', '200'],
  [':path', '/again'],
  [':protocol', 'websocket'],
  ['connection', 'close'],
  ['keep-alive', '1'],
  ['proxy-connection', '1'],
  ['transfer-encoding', 'chunked'],
  ['upgrade', 'h2c'],
  ['te', 'gzip'],
  ['te', 'Trailers'],
  ['host', 'a'],
  ['host', 'b'],
  ['host', ''],
  ['x-nul', 'a\0b'],
  ['x-cr', 'a\rb'],
  ['x-lf', 'a\nb'],
  ['x-del', 'a\x7fb'],
  ['x-space', ' a'],
  ['x-space', 'a\t'],
  ['x-\xe9', 'a'],
  ['expect', 'x'],
  ['x-huge', 'v'.repeat(5000)],
]

/** Returns the fields of a request, valid in most cases. `length` is the announced length of the content, if any. */
export function requestFields(random: Random, length: number | undefined): Field[] {
  const isOdd = random.chance(0.2)
  const pick = (usual: string, choices: Choice): string => (isOdd && random.chance(0.3) ? random.pick(choices) : usual)
  const method = pick(random.pick(['GET', 'POST']), METHODS)
  const pseudo: Field[] = [
    [':method', method],
    [':scheme', pick('http', SCHEMES)],
    [':authority', pick('a', AUTHORITIES)],
    [':path', pick(random.pick(['/', '/a?b=c']), PATHS)],
  ]
  if (method === 'CONNECT' && random.chance(0.5)) pseudo.splice(0, 4, [':method', method], [':authority', 'a:1'])
  else if (random.chance(0.1)) {
    // An extended CONNECT (RFC 8441 §4).
    pseudo[0] = [':method', pick('CONNECT', METHODS)]
    pseudo.push([':protocol', pick('websocket', PROTOCOLS)])
  }
  if (random.chance(0.2)) swap(pseudo, random)
  if (isOdd && random.chance(0.2)) pseudo.splice(random.below(pseudo.length), 1)
  const fields: Field[] = [...pseudo, ...ordinaryFields(random, 0.6)]
  if (length !== undefined) fields.push(['content-length', pick(String(length), LENGTHS)])
  if (isOdd) addOdd(fields, random)
  return fields
}

/** Returns trailer fields, valid in most cases. */
export function trailerFields(random: Random): Field[] {
  const fields: Field[] = random.chance(0.7) ? [['x-checksum', 'abc']] : []
  fields.push(...ordinaryFields(random, 0.2))
  if (random.chance(0.1)) addOdd(fields, random)
  return fields
}

function ordinaryFields(random: Random, more: number): Field[] {
  const fields: Field[] = []
  while (random.chance(more)) fields.push(random.pick(FIELDS))
  return fields
}

function addOdd(fields: Field[], random: Random): void {
  while (random.chance(0.5)) fields.splice(random.below(fields.length + 1), 0, random.pick(ODD_FIELDS))
}

function swap(fields: Field[], random: Random): void {
  const at = random.below(fields.length)
  const [moved] = fields.splice(at, 1)
  if (moved !== undefined) fields.push(moved)
}
