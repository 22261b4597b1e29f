import type { LoadRequest } from '../../http/scenario.ts'

const DATA = 0x00
const HEADERS = 0x01
/** Control stream with empty SETTINGS, which disable the dynamic table (RFC 9114 §6.2.1, §7.2.4). */
export const CONTROL_STREAM: Buffer = Buffer.from([0x00, 0x04, 0x00])
/** Values of `:status` in the static table of QPACK (RFC 9204 Appendix A). */
const STATUS_BY_INDEX: Readonly<Record<number, number>> = { 25: 200, 26: 304, 27: 404, 28: 503, 67: 400, 71: 500 }

/** Response on a request stream. */
export interface H3Response {
  /** Status of the response; 0 if it is not one of `STATUS_BY_INDEX`. */
  readonly status: number
  readonly body: Buffer
}

/** Encodes the frames of a request. Uses only literal fields, so that the load generator can reuse the bytes. */
export function encodeRequest({ method, path, headers, body }: LoadRequest, authority: string): Buffer {
  const fields = { ':method': method, ':scheme': 'https', ':authority': authority, ':path': path, ...headers }
  const lines = Object.entries(fields).map(([name, value]) =>
    // RFC 9204 §4.5.6: literal field line with literal name.
    Buffer.concat([
      prefixed(0x20, 3, name.length),
      Buffer.from(name),
      prefixed(0, 7, value.length),
      Buffer.from(value),
    ]),
  )
  const section = Buffer.concat([Buffer.from([0, 0]), ...lines])
  const content = body === undefined ? [] : [varint(DATA), varint(Buffer.byteLength(body)), Buffer.from(body)]
  return Buffer.concat([varint(HEADERS), varint(section.byteLength), section, ...content])
}

/** Decodes the frames of a complete response. @throws {Error} if a frame is truncated */
export function decodeResponse(bytes: Buffer): H3Response {
  let status = 0
  const content: Buffer[] = []
  for (let at = 0; at < bytes.byteLength;) {
    const type = readVarint(bytes, at)
    const length = readVarint(bytes, type.end)
    at = length.end + length.value
    if (at > bytes.byteLength) throw new Error('A frame is truncated')
    const payload = bytes.subarray(length.end, at)
    if (type.value === DATA) content.push(payload)
    else if (type.value === HEADERS && status === 0) status = statusOf(payload)
  }
  return { status, body: content.length === 1 ? (content[0] ?? Buffer.alloc(0)) : Buffer.concat(content) }
}

/** Decodes `:status`. It is the first field, and servers send it as a static table index (RFC 9204 §4.5.2). */
function statusOf(section: Buffer): number {
  const line = section[2] ?? 0
  const index = line === 0xff ? 63 + (section[3] ?? 0) : line & 0x3f
  return line >= 0xc0 ? (STATUS_BY_INDEX[index] ?? 0) : 0
}

/** Encodes a prefixed integer (RFC 7541 §5.1). */
function prefixed(pattern: number, bits: number, value: number): Buffer {
  const max = 2 ** bits - 1
  if (value < max) return Buffer.from([pattern | value])
  const bytes = [pattern | max]
  let rest = value - max
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}

/** Encodes a variable-length integer below 2^30 (RFC 9000 §16). */
function varint(value: number): Buffer {
  if (value < 0x40) return Buffer.from([value])
  if (value < 0x4000) return Buffer.from([0x40 | (value >> 8), value & 0xff])
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(0x8000_0000 + value)
  return bytes
}

function readVarint(bytes: Buffer, at: number): { readonly value: number; readonly end: number } {
  const first = bytes[at] ?? 0
  const length = 2 ** (first >> 6)
  if (at + length > bytes.byteLength) throw new Error('A frame is truncated')
  if (length === 8) return { value: Number(bytes.readBigUInt64BE(at) & 0x3fff_ffff_ffff_ffffn), end: at + 8 }
  const value = bytes.readUIntBE(at, length) % 2 ** (8 * length - 2)
  return { value, end: at + length }
}
