import { decodeHuffman } from '../../src/engine/fields/huffman.ts'
import { FrameType, Flag, frame } from './frames.ts'

export type Field = readonly [name: string, value: string]

/** Static table (RFC 7541 Appendix A). */
const STATIC_TABLE: readonly Field[] = [
  [':authority', ''],
  [':method', 'GET'],
  [':method', 'POST'],
  [':path', '/'],
  [':path', '/index.html'],
  [':scheme', 'http'],
  [':scheme', 'https'],
  ...['200', '204', '206', '304', '400', '404', '500'].map((status): Field => [':status', status]),
  ['accept-charset', ''],
  ['accept-encoding', 'gzip, deflate'],
  ...(
    'accept-language accept-ranges accept access-control-allow-origin age allow authorization cache-control ' +
    'content-disposition content-encoding content-language content-length content-location content-range ' +
    'content-type cookie date etag expect expires from host if-match if-modified-since if-none-match if-range ' +
    'if-unmodified-since last-modified link location max-forwards proxy-authenticate proxy-authorization range ' +
    'referer refresh retry-after server set-cookie strict-transport-security transfer-encoding user-agent vary via ' +
    'www-authenticate'
  )
    .split(' ')
    .map((name): Field => [name, '']),
]

/** Encodes an integer (RFC 7541 §5.1). @param first Flags of the first byte */
export function integer(value: number, prefixBits: number, first: number): Buffer {
  const max = 2 ** prefixBits - 1
  if (value < max) return Buffer.from([first | value])
  const bytes = [first | max]
  let rest = value - max
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1')
  return Buffer.concat([integer(bytes.length, 7, 0), bytes])
}

/** Encodes a literal without indexing (RFC 7541 §6.2.2). */
export function literal(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.of(0), text(name), text(value)])
}

/** Encodes a literal with incremental indexing (RFC 7541 §6.2.1). */
export function indexedLiteral(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.of(0x40), text(name), text(value)])
}

/** Encodes an indexed field (RFC 7541 §6.1). */
export function indexed(index: number): Buffer {
  return integer(index, 7, 0x80)
}

/** Encodes fields as literals, in the given order, valid or not. */
export function block(...fields: readonly Field[]): Buffer {
  return Buffer.concat(fields.map(([name, value]) => literal(name, value)))
}

/** Encodes a whole field block in one HEADERS frame. Sets END_STREAM by default. */
export function headers(streamId: number, fieldBlock: Uint8Array, flags: number = Flag.END_STREAM): Buffer {
  return frame(FrameType.HEADERS, flags | Flag.END_HEADERS, streamId, fieldBlock)
}

/**
 * Decodes a field block from a peer that uses no dynamic table.
 *
 * @throws {Error} if the block refers to a dynamic table or has invalid Huffman code
 */
export function decodeBlock(bytes: Buffer): Field[] {
  const fields: Field[] = []
  let at = 0
  const readInteger = (prefixBits: number): number => {
    const max = 2 ** prefixBits - 1
    let value = bytes.readUInt8(at++) & max
    if (value < max) return value
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes.readUInt8(at++)
      value += (byte & 0x7f) * factor
      if (byte < 128) return value
    }
  }
  const readText = (): string => {
    const isHuffman = (bytes.readUInt8(at) & 0x80) !== 0
    const length = readInteger(7)
    const start = at
    at += length
    const value = isHuffman ? decodeHuffman(bytes, start, at) : bytes.toString('latin1', start, at)
    if (value === undefined) throw new Error('Invalid Huffman code')
    return value
  }
  while (at < bytes.length) {
    const first = bytes.readUInt8(at)
    if ((first & 0x80) !== 0) fields.push(entry(readInteger(7)))
    else if ((first & 0xe0) === 0x20) readInteger(5)
    else {
      const index = readInteger((first & 0x40) === 0 ? 4 : 6)
      const name = index === 0 ? readText() : entry(index)[0]
      fields.push([name, readText()])
    }
  }
  return fields
}

function entry(index: number): Field {
  const found = STATIC_TABLE[index - 1]
  if (found === undefined) throw new Error(`No entry ${index} in the static table`)
  return found
}
