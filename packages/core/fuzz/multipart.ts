import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { cut, mutate, Random, randomBytes, type FuzzTarget } from '@fw/testing/fuzz'
import { readParts } from '../src/context/multipart.ts'
import { isHttpError } from '../src/response/http-error.ts'

/** Input: a body, one character per byte, and the boundary of its media type. */
interface Input {
  readonly body: string
  readonly boundary: string
}

/** Part of a body; its content has one character per byte. */
interface Part {
  readonly name: string
  readonly filename: string | undefined
  readonly body: string
}

const MAX_PARTS = 8
/** Upper bound for the event-loop turns that reading a body needs, apart from those for its slices. */
const MAX_TURNS = 5000
const BOUNDARIES: readonly string[] = [
  'b',
  'b',
  '----WebKitFormBoundary7MA4YWxkTrZu0gW',
  "'()+_,-./:=?",
  '-',
  '--',
  'a b',
]
const DISPOSITIONS: readonly string[] = [
  'form-data; name="a"',
  'form-data; name="b"; filename="f.txt"',
  'form-data; name=a',
  'form-data; name=""',
  'form-data',

  'form-data; name="a%22b"',
  'form-data; name="\xc3\xa9"',
  'form-data; name="a\\"b"',
  'form-data; name="x"; filename=""',
  'form-data; name="x"; filename*=utf-8\'\'%e2%82%ac',
  'form-data; name="../x"; filename="../../etc/passwd"',
  'attachment; name="a"',
  'form-data; name="__proto__"',
  'FORM-DATA; NAME="a"',
  'form-data; name="a"; name="b"',
]
const HEADERS: readonly string[] = [
  'Content-Type: text/plain',
  'Content-Type: text/plain; charset=utf-7',
  'Content-Transfer-Encoding: base64',
  'X: y',
  'No colon',
  ': x',
  ' folded',
]
const BODIES: readonly string[] = [
  '',
  'value',
  '\r\n',
  '\r\n--',
  '--b',
  '\r\n--b',
  '\r\n--bx',
  '\0\xff',
  '-',
  'a\r\n\r\nb',
  'x'.repeat(300),
]
const PIECES: readonly string[] = [
  '\r\n',
  '\n',
  '\r',
  '-',
  '--',
  '--b',
  '\r\n--b--',
  '"',
  ';',
  ':',
  '=',
  '\0',
  '\xff',
  ' ',
  '\\',
]
/** Part header without escapes, which browsers never send. */
const WELL_FORMED = /^content-disposition: ?form-data; ?name="[^"\\%]*"(?:; ?filename="[^"\\%]*")?\r?$/i

const target: FuzzTarget<Input> = {
  parser: 'multipart/form-data (RFC 7578), compared with undici',
  generate(random) {
    const boundary = random.pick(BOUNDARIES)
    const text = body(random, boundary)
    return { boundary, body: random.chance(0.3) ? mutate(text, random, PIECES) : text }
  },
  async check({ body: text, boundary }) {
    if (!/^[\w'()+,\-./:=? ]{1,70}$/.test(boundary)) return
    const bytes = Buffer.from(text, 'latin1')
    const type = `multipart/form-data; boundary="${boundary}"`
    const whole = await read([bytes], type)
    // The parser combines single dashes after two consecutive delimiters, but only if they arrive in different slices.
    // It then accepts an empty body that it otherwise rejects.
    if (!hasSingleDash(text, boundary)) {
      const inSlices = await read(cut(bytes, Random.of(text)), type)
      assert.deepEqual(inSlices, whole, 'The slices change the parts')
    }

    if (typeof whole !== 'number') {
      const partBytes = whole.reduce((sum, part) => sum + part.body.length, 0)
      assert.ok(partBytes <= bytes.length, 'The parts contain more bytes than the body')
      assert.ok(whole.length <= MAX_PARTS)
    }
    // undici also finds the first delimiter in the middle of a line.
    if (!text.startsWith(`--${boundary}`)) return
    // The two parsers repair malformed dispositions differently. undici also decodes a transfer encoding (RFC 7578
    // §4.7).
    if (/content-transfer-encoding/i.test(text)) return
    if (!(text.match(/^.*content-disposition.*$/gim) ?? []).every((line) => WELL_FORMED.test(line))) return
    const expected = await readWithUndici(bytes, type)
    if (expected === undefined || expected.length === 0 || expected.length > MAX_PARTS) return
    // A line that begins like a delimiter ends a part (RFC 2046 §5.1.1). undici reads one among the headers as a header.
    if (whole === 400 && hasLineLikeDelimiter(text, boundary)) return
    assert.ok(typeof whole !== 'number', `undici accepts a body that gets ${JSON.stringify(whole)}`)
    assert.deepEqual(named(whole), named(expected))
  },
}
export default target

/** Reports whether one dash follows a delimiter. A delimiter has none, and the end of the body has two. */
function hasSingleDash(text: string, boundary: string): boolean {
  return text.split(`--${boundary}`).some((after, at) => at > 0 && /^-(?!-)/.test(after))
}

/** Reports whether a line begins like a delimiter but is not one. */
function hasLineLikeDelimiter(text: string, boundary: string): boolean {
  return text.split(`\n--${boundary}`).some((after, at) => at > 0 && !/^(?:--|[\t ]*\r\n|$)/.test(after))
}

function body(random: Random, boundary: string): string {
  if (random.chance(0.003)) return random.pick(PIECES).repeat(random.below(16_000))
  if (random.chance(0.02)) return randomBytes(random, 60)
  const lineBreak = random.chance(0.97) ? '\r\n' : '\n'
  const parts = random.list(0.7, () => {
    const headers = random.list(0.3, () => random.pick(HEADERS))
    if (random.chance(0.97)) headers.unshift(`Content-Disposition: ${random.pick(DISPOSITIONS)}`)
    return ['', ...headers, '', random.pick(BODIES), ''].join(lineBreak)
  })
  const preamble = random.chance(0.05) ? random.pick(['preamble', '\r\n', '\r\npreamble\r\n']) : ''
  const end = random.pick(['--\r\n', '--\r\n', '--', '--\r\nepilogue', '', '-'])
  return `${preamble}--${boundary}${parts.map((part) => `${part}--${boundary}`).join('')}${end}`
}

/**
 * Converts parts to the form that undici returns: values without a file name are text. undici also accepts parts
 * without a name.
 */
function named(parts: readonly Part[]): Part[] {
  const texts = parts.map((part) => {
    const isText = part.filename === undefined
    if (isText)
      return {
        ...part,
        body: Buffer.from(part.body, 'latin1')
          .toString()
          .replace(/^\ufeff/, ''),
      }
    // RFC 7578 §4.2: no directories. Only this parser removes them.
    return { ...part, filename: posix.basename(part.filename ?? '') }
  })
  return texts.filter(({ name }) => name !== '')
}

/**
 * Reads a body.
 *
 * @returns The parts, or the error status
 */
async function read(slices: readonly Buffer[], type: string): Promise<Part[] | number> {
  let isOver = false
  const reading = (async () => {
    const parts: Part[] = []
    for await (const part of readParts(() => streamOf(slices), type, 0, { maxParts: MAX_PARTS })) {
      const { name, filename } = part
      parts.push({ name, filename, body: Buffer.from(await part.bytes()).toString('latin1') })
    }
    return parts
  })()
    .catch((error: unknown) => {
      if (!isHttpError(error)) throw error
      assert.ok(error.status === 400 || error.status === 413)
      return error.status
    })
    .finally(() => (isOver = true))
  for (let turn = 0; !isOver; turn++) {
    assert.ok(turn < MAX_TURNS + slices.length * 5, 'The parts are never complete')
    await setImmediate()
  }
  return reading
}

function streamOf(slices: readonly Buffer[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(slices.map((slice) => Uint8Array.from(slice)))
}

/**
 * Reads a body with undici.
 *
 * @returns `undefined` if undici refuses the body
 */
async function readWithUndici(bytes: Buffer, type: string): Promise<Part[] | undefined> {
  let form
  try {
    form = await new Response(Uint8Array.from(bytes), { headers: { 'content-type': type } }).formData()
  } catch {
    return undefined
  }
  const parts: Part[] = []
  for (const [name, value] of form) {
    if (typeof value === 'string')
      parts.push({ name, filename: undefined, body: Buffer.from(value).toString('latin1') })
    else parts.push({ name, filename: value.name, body: Buffer.from(await value.arrayBuffer()).toString('latin1') })
  }
  return parts
}
