import type { Random } from '@fw/testing/fuzz'

type Choice = readonly [string, ...string[]]

const METHODS: Choice = ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'CONNECT', 'get', 'M-SEARCH', 'G(T', '']
const TARGETS: Choice = [
  '/',
  '/a?b=c',
  '/%00',
  '/a#b',
  '/é',
  '*',
  'http://a/',
  'http://a:1',
  'http://u@a/',
  'https://[::1]/',
  'a:1',
  'a',
  '//a',
  '/ b',
  '',
]
const VERSIONS: Choice = [
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/1.2',
  'HTTP/2.0',
  'HTTP/0.9',
  'http/1.1',
  '',
]
const HOSTS: Choice = [
  'Host: a',
  'Host: a:80',
  'host:a',
  'HOST:\ta ',
  'Host: [::1]:1',
  'Host:',
  'Host: a b',
  'Host : a',
  'X: y',
]
const FIELDS: Choice = [
  'Accept: */*',
  'Connection: close',
  'Connection: keep-alive',
  'Connection: upgrade',
  'Connection: keep-alive, close',
  'Connection: close, keep-alive',
  'Connection: x,, closed',
  'Upgrade: websocket',
  'Expect: 100-continue',
  'Expect: x',
  'Cookie: a=b',
  'X-Empty:',
  'X-High: \xe9\xff',
  'X-Tab: a\tb',
  'X-Nul: a\0b',
  'X-Del: a\x7fb',
  ' folded',
  '\tfolded',
  'No-Colon',
  ': no name',
  'Sp ace: x',
  'Under_score: x',
  'Host: b',
]
const LENGTHS: Choice = [
  '0',
  '3',
  '3',
  '3',
  '03',
  '+3',
  '-3',
  '3 ',
  '3,3',
  '3, 4',
  '0x3',
  '3.0',
  '',
  '9999999999999999',
  ' 3',
]
const CODINGS: Choice = [
  'chunked',
  'chunked',
  'Chunked',
  'chunked\t',
  'gzip, chunked',
  'chunked, gzip',
  'chunked,',
  'identity',
  'xchunked',
  '',
]
const SIZES: Choice = [
  '3',
  '3',
  '3',
  '03',
  '0003',
  '3;a',
  '3;a=b',
  '3;a="b;c"',
  '3;a="\\"b\t\x80";c',
  '3;a="b',
  '3;a=b=c',
  '3;=b',
  '3;a;;b',
  '3;a\xff',
  '3 ',
  '3 ;a',
  '3;',
  '+3',
  '0x3',
  'g',
  '',
  'fffffffffffffffff',
]
const BREAKS: Choice = ['\n', '\r', '\n\r', '\r\r\n', '\r\n ', ' \r\n', '\0\r\n', '\r\n\r\n']
const BYTES: Choice = ['\r', '\n', '\0', ' ', '\t', ':', ',', ';', '"', '\\', '\x7f', '\x80', '\xff', '\r\n', '0', 'a']

/** Returns mostly valid requests in sequence, with typical errors. One character per byte. */
export function makeRequests(random: Random): string {
  let wire = random.chance(0.05) ? random.pick(['\r\n', '\r\n\r\n', '\r\n\r\n\r\n', '\n', ' ']) : ''
  for (let count = 1 + random.below(3); count > 0; count--) wire += makeRequest(random)
  if (random.chance(0.3)) wire = mutate(wire, random)
  return random.chance(0.1) ? wire.slice(0, random.below(wire.length + 1)) : wire
}

function makeRequest(random: Random): string {
  const lines = [startLine(random), odd(random, 0.15) ? random.pick(HOSTS) : 'Host: a']
  while (random.chance(0.3)) lines.push(random.pick(FIELDS))
  if (random.chance(0.02))
    lines.push(...Array<string>(random.below(120)).fill(`X-Many:${'y'.repeat(random.below(100))}`))
  let body = ''
  if (random.chance(0.35)) {
    lines.push(`Content-Length: ${odd(random, 0.3) ? random.pick(LENGTHS) : '3'}`)
    body += 'abc'
  }
  if (random.chance(0.35)) {
    lines.push(`Transfer-Encoding: ${odd(random, 0.3) ? random.pick(CODINGS) : 'chunked'}`)
    body = chunks(random)
  }
  return lines.map((line) => line + lineBreak(random)).join('') + lineBreak(random) + body
}

function startLine(random: Random): string {
  if (!odd(random, 0.2)) return random.pick(['GET / HTTP/1.1', 'POST /a?b HTTP/1.1', 'GET / HTTP/1.0'])
  return [random.pick(METHODS), random.pick(TARGETS), random.pick(VERSIONS)].join(random.chance(0.05) ? '  ' : ' ')
}

function chunks(random: Random): string {
  let body = ''
  // Add more chunk framing than one read contains.
  if (random.chance(0.02)) body += `3${random.pick(['', ';a', ';a=b'])}\r\nabc\r\n`.repeat(random.below(1500))
  while (random.chance(0.6))
    body += `${odd(random, 0.2) ? random.pick(SIZES) : '3'}${lineBreak(random)}abc${lineBreak(random)}`
  body += `0${lineBreak(random)}`
  while (random.chance(0.15)) body += `${random.pick(FIELDS)}${lineBreak(random)}`
  return body + lineBreak(random)
}

function lineBreak(random: Random): string {
  return random.chance(0.01) ? random.pick(BREAKS) : '\r\n'
}

function odd(random: Random, probability: number): boolean {
  return random.chance(probability)
}

function mutate(wire: string, random: Random): string {
  let changed = wire
  do {
    const at = random.below(changed.length + 1)
    const removed = random.chance(0.5) ? 0 : 1
    changed = changed.slice(0, at) + (random.chance(0.7) ? random.pick(BYTES) : '') + changed.slice(at + removed)
  } while (random.chance(0.4))
  return changed
}
