/** Frame types (RFC 9113 §6). */
export const FrameType = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
  /** RFC 9218 §7.1. */
  PRIORITY_UPDATE: 16,
} as const

export const Flag = { ACK: 1, END_STREAM: 1, END_HEADERS: 4, PADDED: 8, PRIORITY: 0x20 } as const

/** Identifiers of settings (RFC 9113 §6.5.2). */
export const Setting = {
  HEADER_TABLE_SIZE: 1,
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
  MAX_FRAME_SIZE: 5,
  MAX_HEADER_LIST_SIZE: 6,
  ENABLE_CONNECT_PROTOCOL: 8,
  /** RFC 9218 §2.1. */
  NO_RFC7540_PRIORITIES: 9,
} as const

/** Names of the error codes (RFC 9113 §7), by code. */
const ERROR_NAMES = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
]
const HEAD_BYTES = 9

export interface Frame {
  readonly type: number
  readonly flags: number
  readonly streamId: number
  readonly payload: Buffer
}

/** Encodes a frame, valid or not. */
export function frame(type: number, flags: number, streamId: number, payload: Uint8Array | string = ''): Buffer {
  const body = Buffer.from(payload)
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUIntBE(body.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(streamId >>> 0, 5)
  return Buffer.concat([head, body])
}

/** Encodes an unsigned 32-bit integer, as in WINDOW_UPDATE and RST_STREAM. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

export function settings(...entries: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = entries.map(([id, value]) => Buffer.concat([uint32(id).subarray(2), uint32(value)]))
  return frame(FrameType.SETTINGS, 0, 0, Buffer.concat(payload))
}

export function rstStream(streamId: number, code = 8): Buffer {
  return frame(FrameType.RST_STREAM, 0, streamId, uint32(code))
}

export function windowUpdate(streamId: number, bytes: number): Buffer {
  return frame(FrameType.WINDOW_UPDATE, 0, streamId, uint32(bytes))
}

/** Encodes PRIORITY_UPDATE. @param value Value of a `priority` field */
export function priorityUpdate(streamId: number, value: string): Buffer {
  return frame(FrameType.PRIORITY_UPDATE, 0, 0, Buffer.concat([uint32(streamId), Buffer.from(value)]))
}

export function data(streamId: number, body: Uint8Array | string, flags = 0): Buffer {
  return frame(FrameType.DATA, flags, streamId, body)
}

export function errorName(code: number): string {
  return ERROR_NAMES[code] ?? `0x${code.toString(16)}`
}

/** Decodes the complete frames at the start of `received`. Returns them and the remaining bytes. */
export function takeFrames(received: Buffer): { frames: Frame[]; rest: Buffer } {
  const frames: Frame[] = []
  let at = 0
  while (received.length - at >= HEAD_BYTES) {
    const end = at + HEAD_BYTES + received.readUIntBE(at, 3)
    if (end > received.length) break
    frames.push({
      type: received.readUInt8(at + 3),
      flags: received.readUInt8(at + 4),
      streamId: received.readUInt32BE(at + 5) & 0x7fff_ffff,
      payload: received.subarray(at + HEAD_BYTES, end),
    })
    at = end
  }
  return { frames, rest: received.subarray(at) }
}
