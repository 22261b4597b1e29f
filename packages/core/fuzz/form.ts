import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { cut, mutate, Random, randomBytes, type FuzzTarget } from '@fw/testing/fuzz'
import { BodyReader } from '../src/context/body-reader.ts'
import { ReceivedBody } from '../src/engine/exchange/received-body.ts'
import { FieldListHeaders } from '../src/engine/fields/field-list-headers.ts'
import { isHttpError } from '../src/response/http-error.ts'

/** Input: a body, one character per byte, and its media type. */
interface Input {
  readonly body: string
  readonly type: string
}

const MAX_FIELDS = 10
const MAX_BYTES = 400
const FORM = 'application/x-www-form-urlencoded'
const PAIRS: readonly string[] = [
  'a=b',
  'a',
  'a=',
  '=b',
  '=',
  '',
  'a=b=c',
  '+a+=+b+',
  '%61=%62',
  'a=%C3%A9',
  'a=%ff',
  'a=%',
  'a=%z1',
  '?a=b',
  '__proto__=x',
  'a;b=c',
  '\xc3\xa9=1',
  '\xef\xbb\xbfa=1',
  '\xc4\xa6=%82',
]
const PIECES: readonly string[] = ['&', '&&', '=', '%', '+', ';', '?', '#', '%00', '%E2%82', '\xc3', '\0', '\n']
const TYPES: readonly string[] = [
  FORM,
  FORM,
  FORM,
  `${FORM}; charset=utf-8`,
  FORM.toUpperCase(),
  ` ${FORM} `,
  'application/json',
  'text/plain',
  '',
]

const target: FuzzTarget<Input> = {
  parser: 'application/x-www-form-urlencoded (WHATWG URL §5.1) and JSON bodies, under their limits',
  generate: (random) => ({ body: body(random), type: random.pick(TYPES) }),
  async check({ body: text, type }) {
    const bytes = Buffer.from(text, 'latin1')
    const form = await resultOf(bytes, type, (reader) => reader.form())
    assert.deepEqual(form, formReference(bytes, type))
    const json = await resultOf(bytes, 'application/json', (reader) => reader.json())
    assert.deepEqual(json, jsonReference(bytes))
  },
}
export default target

function body(random: Random): string {
  if (random.chance(0.01)) return random.pick([...PAIRS, '[', '{"a":', '&']).repeat(random.below(5000))
  if (random.chance(0.02)) return randomBytes(random, 60)
  if (random.chance(0.2))
    return mutate('{"__proto__":{"a":[1,"\xc3\xa9\\u0000"]}}', random, ['"', '[', '{', ',', '\\', '\xff', '1e999'])
  const text = [random.pick(PAIRS), ...random.list(0.7, () => random.pick(PAIRS))].join('&')
  return random.chance(0.3) ? mutate(text, random, PIECES) : text
}

/** Returns the result for a body that arrives whole, and checks that slices do not change it. */
async function resultOf(bytes: Buffer, type: string, read: (reader: BodyReader) => Promise<unknown>): Promise<unknown> {
  const whole = await readSlices([bytes], type, read)
  const inSlices = await readSlices(cut(bytes, Random.of(bytes.toString('latin1'))), type, read)
  assert.deepEqual(inSlices, whole, 'The slices change the result')
  return whole
}

/**
 * Reads a body.
 *
 * @returns The form's pairs, the JSON value, or the error status
 */
async function readSlices(
  slices: readonly Buffer[],
  type: string,
  read: (reader: BodyReader) => Promise<unknown>,
): Promise<unknown> {
  const received = new ReceivedBody(undefined, MAX_BYTES * 2, { onWanted() {}, onFull() {}, onRoom() {} })
  const fields = new FieldListHeaders(type === '' ? [] : ['content-type', type])
  const reader = new BodyReader(received, fields, {
    maxBodyBytes: MAX_BYTES,
    maxFormFields: MAX_FIELDS,
    maxFileBytes: 0,
    maxBufferedBytes: 0,
  })
  const reading = read(reader).then(
    (value) => (value instanceof URLSearchParams ? [...value] : { value }),
    (error: unknown) => {
      assert.ok(isHttpError(error), String(error))
      return error.status
    },
  )
  for (const slice of slices) if (slice.length > 0) received.push(slice)
  received.finish()
  return reading
}

function formReference(bytes: Buffer, type: string): unknown {
  const mediaType = type.split(';')[0]?.trim().toLowerCase()
  if (mediaType !== FORM && mediaType !== '') return 415
  if (bytes.length > MAX_BYTES) return 413
  if (!isUtf8(bytes)) return 400
  // The body decoder removes a byte order mark.
  const text = new TextDecoder().decode(bytes)
  const pairs = text === '' ? [] : text.split('&')
  if (pairs.length > MAX_FIELDS) return 413
  return pairs
    .filter((pair) => pair !== '')
    .map((pair) => {
      const mark = pair.indexOf('=')
      return mark === -1 ? [decode(pair), ''] : [decode(pair.slice(0, mark)), decode(pair.slice(mark + 1))]
    })
}

/** Decodes byte by byte as in the URL Standard. Keeps invalid percent-encoding unchanged. */
function decode(text: string): string {
  const source = Buffer.from(text.replaceAll('+', ' '))
  const bytes: number[] = []
  for (let at = 0; at < source.length; at++) {
    const digits = source.toString('latin1', at + 1, at + 3)
    if (source[at] === 0x25 && /^[\da-f]{2}$/i.test(digits)) {
      bytes.push(Number.parseInt(digits, 16))
      at += 2
    } else bytes.push(source[at] ?? 0)
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(bytes))
}

function jsonReference(bytes: Buffer): unknown {
  if (bytes.length > MAX_BYTES) return 413
  if (!isUtf8(bytes)) return 400
  try {
    return { value: JSON.parse(new TextDecoder().decode(bytes)) as unknown }
  } catch {
    return 400
  }
}
