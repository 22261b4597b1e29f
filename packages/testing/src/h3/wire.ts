/** Frame types (RFC 9114 §7.2). */
export const H3Frame = {
  DATA: 0x00,
  HEADERS: 0x01,
  CANCEL_PUSH: 0x03,
  SETTINGS: 0x04,
  PUSH_PROMISE: 0x05,
  GOAWAY: 0x07,
  MAX_PUSH_ID: 0x0d,
} as const

/** Types of unidirectional streams (RFC 9114 §6.2, RFC 9204 §4.2). */
export const H3StreamType = { CONTROL: 0x00, PUSH: 0x01, QPACK_ENCODER: 0x02, QPACK_DECODER: 0x03 } as const

/** Encodes a variable-length integer in its shortest form (RFC 9000 §16). */
export function varint(value: number): Buffer {
  if (value < 0x40) return Buffer.from([value])
  if (value < 0x4000) return Buffer.from([0x40 | (value >> 8), value & 0xff])
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  if (value < 0x4000_0000) {
    bytes[4] = (bytes[4] ?? 0) | 0x80
    return bytes.subarray(4)
  }
  bytes[0] = (bytes[0] ?? 0) | 0xc0
  return bytes
}

/** Decodes a variable-length integer; `undefined` if it is incomplete. */
export function readVarint(bytes: Uint8Array, at: number): { value: number; end: number } | undefined {
  const first = bytes[at]
  if (first === undefined) return undefined
  const end = at + 2 ** (first >> 6)
  if (end > bytes.byteLength) return undefined
  let value = first & 0x3f
  for (let i = at + 1; i < end; i++) value = value * 256 + (bytes[i] ?? 0)
  return { value, end }
}

/** Encodes a frame. A test can pass a `length` that differs from the payload length. */
export function h3Frame(type: number, payload: Uint8Array | string = '', length?: number): Buffer {
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
  return Buffer.concat([varint(type), varint(length ?? bytes.byteLength), bytes])
}
