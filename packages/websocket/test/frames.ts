/** A WebSocket frame. */
export interface Frame {
  readonly opcode: number
  readonly payload: Uint8Array
  readonly fin?: boolean
  /** The three reserved bits as a number. */
  readonly rsv?: number
}

export const TEXT = 1
export const BINARY = 2
export const CLOSE = 8
export const PING = 9
export const PONG = 10

const MASK = Buffer.from([0x37, 0xfa, 0x21, 0x3d])

/** Encodes a frame as a client sends it. `masked` false omits the mask, which a server must reject. */
export function encodeFrame({ opcode, payload, fin = true, rsv = 0 }: Frame, masked: boolean = true): Buffer {
  const { length } = payload
  const extended = length < 126 ? 0 : length < 65_536 ? 2 : 8
  const head = Buffer.alloc(2 + extended)
  head[0] = (fin ? 0x80 : 0) | (rsv << 4) | opcode
  head[1] = (masked ? 0x80 : 0) | (extended === 0 ? length : extended === 2 ? 126 : 127)
  if (extended === 2) head.writeUInt16BE(length, 2)
  if (extended === 8) head.writeBigUInt64BE(BigInt(length), 2)
  if (!masked) return Buffer.concat([head, payload])
  return Buffer.concat([head, MASK, payload.map((byte, at) => byte ^ (MASK[at % 4] ?? 0))])
}

/** Encodes a Close frame. Without a code, its payload is empty. */
export function closeFrame(code?: number, reason: Uint8Array | string = ''): Frame {
  if (code === undefined) return { opcode: CLOSE, payload: new Uint8Array() }
  return { opcode: CLOSE, payload: Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason)]) }
}

/** Parses the frames of a server. Returns the complete frames and the rest. @throws {Error} if a frame is masked */
export function parseFrames(bytes: Buffer): { readonly frames: Frame[]; readonly rest: Buffer } {
  const frames: Frame[] = []
  let at = 0
  while (bytes.length - at >= 2) {
    const [first = 0, second = 0] = bytes.subarray(at, at + 2)
    if (second >= 0x80) throw new Error('A frame from the server is masked')
    const extended = second < 126 ? 0 : second === 126 ? 2 : 8
    if (bytes.length - at < 2 + extended) break
    const start = at + 2 + extended
    const length =
      extended === 0 ? second : extended === 2 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
    if (bytes.length < start + length) break
    const payload = bytes.subarray(start, start + length)
    frames.push({ opcode: first & 0x0f, fin: first >= 0x80, rsv: (first >> 4) & 7, payload })
    at = start + length
  }
  return { frames, rest: bytes.subarray(at) }
}

/** Describes a frame, for comparisons: `text hello`, `close 1000 bye`. */
export function showFrame({ opcode, payload, fin = true, rsv = 0 }: Frame): string {
  const name = { [TEXT]: 'text', [BINARY]: 'binary', [CLOSE]: 'close', [PING]: 'ping', [PONG]: 'pong' }[opcode]
  const bytes = Buffer.from(payload)
  const content =
    opcode === CLOSE && bytes.length >= 2
      ? `${bytes.readUInt16BE()} ${bytes.toString('utf8', 2)}`.trimEnd()
      : bytes.toString('latin1')
  const flags = `${fin ? '' : ' unfinished'}${rsv === 0 ? '' : ` rsv ${rsv}`}`
  return `${name ?? opcode}${flags}${content === '' ? '' : ` ${content}`}`
}
