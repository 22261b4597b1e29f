import { ErrorCode, Http3Error } from './errors.ts'
import { encodeFrame, FrameType } from './frames.ts'
import { readVarint, varintLength, writeVarint } from './varint.ts'

/** Identifiers of the settings that the server sends. */
export const Setting = {
  QPACK_MAX_TABLE_CAPACITY: 0x01,
  MAX_FIELD_SECTION_SIZE: 0x06,
  QPACK_BLOCKED_STREAMS: 0x07,
  /** RFC 9220 §3. */
  ENABLE_CONNECT_PROTOCOL: 0x08,
} as const

/** HTTP/2 settings that must not be sent in HTTP/3 (RFC 9114 §7.2.4.1). */
const HTTP2_SETTINGS: ReadonlySet<number> = new Set([0x00, 0x02, 0x03, 0x04, 0x05])

/**
 * Reads the payload of a SETTINGS frame.
 *
 * @throws {Http3Error} FRAME_ERROR if the payload is truncated, SETTINGS_ERROR for a repeated setting or an HTTP/2
 * setting
 * @see RFC 9114 §7.2.4
 */
export function readSettings(payload: Uint8Array): ReadonlyMap<number, number> {
  const settings = new Map<number, number>()
  let at = 0
  const next = (): number => {
    const first = payload[at]
    const start = at
    if (first === undefined || (at += varintLength(first)) > payload.byteLength) {
      throw new Http3Error(ErrorCode.FRAME_ERROR, 'A SETTINGS frame is truncated')
    }
    return readVarint(payload, start)
  }
  while (at < payload.byteLength) {
    const id = next()
    const value = next()
    if (HTTP2_SETTINGS.has(id)) throw new Http3Error(ErrorCode.SETTINGS_ERROR, 'An HTTP/2 setting')
    if (settings.has(id)) throw new Http3Error(ErrorCode.SETTINGS_ERROR, 'A repeated setting')
    settings.set(id, value)
  }
  return settings
}

/** Encodes a SETTINGS frame. */
export function encodeSettings(settings: Iterable<readonly [id: number, value: number]>): Buffer {
  const list = [...settings]
  const payload = Buffer.allocUnsafe(list.length * 16)
  let at = 0
  for (const [id, value] of list) at = writeVarint(payload, value, writeVarint(payload, id, at))
  return encodeFrame(FrameType.SETTINGS, payload.subarray(0, at))
}
