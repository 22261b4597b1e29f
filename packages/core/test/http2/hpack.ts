import { decodeHuffman } from '../../src/engine/fields/huffman.ts'
import { FrameType, Flag, frame } from './frames.ts'

export type Field = readonly [name: string, value: string]

/** The entries of RFC 7541 Appendix A that have a value; the others have a name alone. */
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

/** An integer with a prefix of some bits (RFC 7541 §5.1). */
export function integer(value: number, prefixBits: number, first: number): Buffer {
  const most = 2 ** prefixBits - 1
  if (value < most) return Buffer.from([first | value])
  const bytes = [first | most]
  let rest = value - most
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1')
  return Buffer.concat([integer(bytes.length, 7, 0), bytes])
}

/** A literal that enters no table (RFC 7541 §6.2.2). */
export function literal(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.of(0), text(name), text(value)])
}

/** A literal that enters the dynamic table (RFC 7541 §6.2.1). */
export function indexedLiteral(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.of(0x40), text(name), text(value)])
}

/** A reference to an entry of the tables (RFC 7541 §6.1). */
export function indexed(index: number): Buffer {
  return integer(index, 7, 0x80)
}

/** A field block of literals, in the order given, valid or not. */
export function block(...fields: readonly Field[]): Buffer {
  return Buffer.concat(fields.map(([name, value]) => literal(name, value)))
}

/** HEADERS with the whole block. */
export function headers(streamId: number, fieldBlock: Uint8Array, flags: number = Flag.END_STREAM): Buffer {
  return frame(FrameType.HEADERS, flags | Flag.END_HEADERS, streamId, fieldBlock)
}

/**
 * Reads a block of a peer that was told to use no dynamic table.
 *
 * @throws {Error} if it is not such a block
 */
export function decodeBlock(bytes: Buffer): Field[] {
  const fields: Field[] = []
  let at = 0
  const readInteger = (prefixBits: number): number => {
    const most = 2 ** prefixBits - 1
    let value = bytes.readUInt8(at++) & most
    if (value < most) return value
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
