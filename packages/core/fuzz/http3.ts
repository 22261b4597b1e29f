import assert from 'node:assert/strict'
import { cut, mutate, Random, randomBytes, type FuzzTarget } from '@fw/testing/fuzz'
import { encodeFields, h3Frame, varint } from '@fw/testing/h3'
import { ProtocolError } from '../src/engine/errors.ts'
import { ControlStream } from '../src/http3/control-stream.ts'
import { Http3Error } from '../src/http3/errors.ts'
import { checkEncoderStream, DecoderStream } from '../src/http3/qpack/streams.ts'
import { RequestReader } from '../src/http3/request-reader.ts'
import { DEFAULT_LIMITS } from '../src/options/limits.ts'
import { requestFields, trailerFields } from './http2/request-grammar.ts'

/** Input: a client's stream, one character per byte. */
interface Input {
  readonly stream: 'request' | 'control' | 'encoder' | 'decoder'
  readonly bytes: string
}

/** Result of reading a stream. */
interface Result {
  readonly frames: readonly (readonly [type: number, length: number])[]
  readonly head: object | undefined
  readonly body: string
  readonly settings: object | undefined
  readonly trailers: readonly string[] | undefined
  readonly error: string | undefined
}

const FRAME_TYPES: readonly number[] = [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x0d, 0x21, 0xf0700, 2 ** 40]
const NUMBERS: readonly number[] = [0, 1, 5, 6, 7, 63, 64, 16_383, 16_384, 2 ** 30, 2 ** 52]
const PIECES: readonly string[] = [
  '\x00',
  '\x01',
  '\x04',
  '\x07',
  '\x0d',
  '\x20',
  '\x40',
  '\x7f',
  '\x80',
  '\xc0',
  '\xff',
  '\x3f',
]

const target: FuzzTarget<Input> = {
  parser: 'HTTP/3 streams from a client: requests, control, QPACK (RFC 9114 §7, RFC 9204 §4)',
  generate(random) {
    const stream = random.pick<Input['stream']>(['request', 'request', 'request', 'control', 'encoder', 'decoder'])
    const bytes = streamOf(stream, random).toString('latin1')
    return { stream, bytes: random.chance(0.15) ? mutate(bytes, random, PIECES) : bytes }
  },
  check({ stream, bytes }) {
    const buffer = Buffer.from(bytes, 'latin1')
    const whole = read(stream, [buffer])
    if (stream === 'request') checkFrames(whole, buffer)
    const random = Random.of(bytes)
    for (const slices of [cut(buffer, random), Array.from(buffer, (byte) => Buffer.of(byte))]) {
      const inSlices = read(stream, slices)
      // How many bytes of an oversized body reach the handler depends on the slices.
      const body = whole.error === undefined ? inSlices.body : whole.body
      assert.deepEqual({ ...inSlices, body }, whole, 'The slices change the result')
    }
  },
}
export default target

function streamOf(stream: Input['stream'], random: Random): Buffer {
  if (random.chance(0.02)) return Buffer.from(randomBytes(random, 60), 'latin1')
  if (stream === 'request') return request(random)
  if (stream === 'control') return control(random)
  const instruction = stream === 'encoder' ? 0x20 : 0x40
  const pieces = random.list(0.8, () => (random.chance(0.9) ? instruction | random.below(32) : random.below(256)))
  if (stream === 'encoder') return Buffer.from(pieces.map((byte) => (random.chance(0.95) ? 0x20 : byte)))
  return Buffer.concat(
    pieces.map((byte) => (random.chance(0.2) ? Buffer.from([0x7f, 0x80, byte & 0x7f]) : Buffer.of(byte))),
  )
}

function request(random: Random): Buffer {
  const length = random.pick([0, 3, 10])
  const fields = requestFields(random, random.chance(0.5) ? length : undefined)
  const frames = [h3Frame(1, encodeFields(fields))]
  frames.push(...random.list(0.3, () => anyFrame(random)))
  if (length > 0) frames.push(h3Frame(0, 'abcdefghij'.slice(0, length)))
  if (random.chance(0.3)) frames.push(h3Frame(1, encodeFields(trailerFields(random))))
  frames.push(...random.list(0.2, () => anyFrame(random)))
  return Buffer.concat(frames)
}

function control(random: Random): Buffer {
  const setting = (): Buffer => Buffer.concat([varint(random.pick(NUMBERS)), varint(random.pick(NUMBERS))])
  const frames = [h3Frame(4, Buffer.concat(random.list(0.6, setting)))]
  if (random.chance(0.05)) frames.pop()
  const known = (): Buffer => h3Frame(random.pick([3, 7, 0x0d]), varint(random.pick(NUMBERS)))
  frames.push(...random.list(0.6, () => (random.chance(0.7) ? known() : anyFrame(random))))
  return Buffer.concat(frames)
}

function anyFrame(random: Random): Buffer {
  const payload = Buffer.from(randomBytes(random, 12), 'latin1')
  const length = random.chance(0.1) ? random.pick(NUMBERS) : undefined
  return h3Frame(random.pick(FRAME_TYPES), payload, length)
}

function read(stream: Input['stream'], slices: readonly Buffer[]): Result {
  const frames: [number, number][] = []
  let head: object | undefined
  let body = ''
  let trailers: readonly string[] | undefined
  let settings: object | undefined
  const parts = {
    onHead: (found: object): void => void (head = found),
    onBody(slice: Uint8Array): void {
      assert.ok(slice.byteLength > 0)
      body += Buffer.from(slice).toString('latin1')
    },
  }
  const reader = new RequestReader(DEFAULT_LIMITS, parts, (type, length) => frames.push([type, length]), true)
  const controlStream = new ControlStream()
  const decoderStream = new DecoderStream()
  let error: string | undefined
  try {
    for (const slice of slices) {
      // A slice's memory is reused after the read.
      const lent = Buffer.from(slice)
      if (stream === 'request') reader.push(lent)
      else if (stream === 'control') controlStream.push(lent)
      else if (stream === 'encoder') checkEncoderStream(lent)
      else decoderStream.push(lent)
      lent.fill('#')
    }
    if (stream === 'request') trailers = reader.end()
    settings = controlStream.settings
  } catch (thrown) {
    if (thrown instanceof Http3Error) error = `${thrown.code} ${thrown.scope} ${thrown.message.replaceAll(/\d+/g, '#')}`
    else if (thrown instanceof ProtocolError) error = `${thrown.status} ${thrown.message}`
    else throw thrown
  }
  return { frames, head, body, trailers, settings, error }
}

/** Checks that the reader finds the frames of RFC 9114 §7.1, and that the body is the content of the DATA frames. */
function checkFrames({ frames, body, error }: Result, bytes: Buffer): void {
  let at = 0
  let data = ''
  const number = (): bigint | undefined => {
    const first = bytes[at]
    if (first === undefined) return undefined
    const end = at + 2 ** (first >> 6)
    if (end > bytes.length) return undefined
    const value = BigInt(`0x${bytes.toString('hex', at, end)}`) & (2n ** BigInt((end - at) * 8 - 2) - 1n)
    at = end
    return value
  }
  for (const [type, length] of frames) {
    for (const value of [type, length]) {
      const exact = number() ?? -1n
      // Larger integers are rounded. No frame is that long, and no known type is that large.
      if (exact <= Number.MAX_SAFE_INTEGER) assert.equal(value, Number(exact))
      else assert.ok(value > Number.MAX_SAFE_INTEGER)
    }
    const end = Math.min(bytes.length, at + length)
    if (type === 0) data += bytes.toString('latin1', at, end)
    at = end
  }
  if (error === undefined) assert.deepEqual([at, body], [bytes.length, data])
  else assert.ok(data.startsWith(body))
}
