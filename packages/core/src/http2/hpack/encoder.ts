import type { FieldList } from '@fw/types'
import { writeInteger } from './integer.ts'
import { sentName, type SentName } from './sent-names.ts'
import { SentTable } from './sent-table.ts'
import { STATIC_TABLE } from './static-table.ts'
import { STRING_LENGTH_BITS } from './string.ts'

/** Maximum table size, in bytes. Equals the default from RFC 9113 §6.5.2, even if the peer allows more. */
const MAX_TABLE_BYTES = 4096
/** Maximum bytes that a literal uses in addition to its strings: flags and name index, and two string lengths. */
const FIELD_OVERHEAD_BYTES = 16
/** Maximum bytes that a block uses in addition to its fields: two table size updates and `:status`. */
const BLOCK_OVERHEAD_BYTES = 24

/** Maximum size, in bytes, that a JavaScript loop copies faster than a native call. */
const MAX_COPIED_BYTES = 16

/** First bytes of the representations in RFC 7541 §6, each with the number of bits that remain for an integer. */
const INDEXED = 0x80
const INDEXED_BITS = 7
const LITERAL_INDEXED = 0x40
const LITERAL_INDEXED_BITS = 6
const LITERAL = 0x00
const LITERAL_NEVER_INDEXED = 0x10
const LITERAL_BITS = 4
const SIZE_UPDATE = 0x20
const SIZE_UPDATE_BITS = 5

const STATUS = sentName(':status')
/** Static table indexes by status code. */
const STATIC_STATUSES = staticStatuses()

/**
 * Encodes the field blocks of one direction of a connection.
 *
 * @see RFC 7541 §2, §6
 */
export class HpackEncoder {
  /** Dynamic table, created for the first field that can enter it. */
  #table: SentTable | undefined
  #maxTableBytes = MAX_TABLE_BYTES
  /** Table size that the last size update announced. */
  #announcedBytes = MAX_TABLE_BYTES
  /** Smallest table size since that update. */
  #minBytes = MAX_TABLE_BYTES

  /** Returns the maximum number of bytes that `encode` writes for these fields and a status. */
  static maxBytes(fields: FieldList): number {
    let bytes = BLOCK_OVERHEAD_BYTES + fields.length * (FIELD_OVERHEAD_BYTES / 2)
    for (let i = 0; i < fields.length; i++) bytes += fields[i]?.length ?? 0
    return bytes
  }

  /** Applies the peer's SETTINGS_HEADER_TABLE_SIZE, limited to 4,096 bytes. */
  setMaxTableBytes(bytes: number): void {
    this.#maxTableBytes = Math.min(bytes, MAX_TABLE_BYTES)
    this.#minBytes = Math.min(this.#minBytes, this.#maxTableBytes)
    this.#table?.resize(this.#maxTableBytes)
  }

  /**
   * Writes a whole field block, which must be the next one on the connection.
   *
   * @param status Status code, or 0 for trailers, which have no `:status`
   * @param fields Lowercase names and Latin-1 values
   * @returns End of the block, or -1, with nothing written, if `target` has less room than `maxBytes`
   */
  encode(status: number, fields: FieldList, target: Buffer, offset: number): number {
    if (target.length - offset < HpackEncoder.maxBytes(fields)) return -1
    let at = offset
    if (this.#minBytes !== this.#announcedBytes || this.#maxTableBytes !== this.#announcedBytes) {
      at = this.#writeSizeUpdates(target, at)
    }
    if (status !== 0) at = this.#writeStatus(target, at, status)
    for (let i = 0; i < fields.length; i += 2) {
      at = this.#writeField(target, at, sentName(fields[i] ?? ''), fields[i + 1] ?? '')
    }
    return at
  }

  /** Writes the smallest and the last table size since the last block. @see RFC 7541 §4.2 */
  #writeSizeUpdates(target: Buffer, offset: number): number {
    let at = offset
    if (this.#minBytes < this.#maxTableBytes) {
      at = writeInteger(target, at, SIZE_UPDATE, SIZE_UPDATE_BITS, this.#minBytes)
    }
    this.#minBytes = this.#announcedBytes = this.#maxTableBytes
    return writeInteger(target, at, SIZE_UPDATE, SIZE_UPDATE_BITS, this.#maxTableBytes)
  }

  #writeStatus(target: Buffer, at: number, status: number): number {
    const index = STATIC_STATUSES.get(status)
    if (index === undefined) return this.#writeField(target, at, STATUS, String(status))
    target[at] = INDEXED | index
    return at + 1
  }

  #writeField(target: Buffer, at: number, name: SentName, value: string): number {
    if (name.isSecret) return writeLiteral(target, at, LITERAL_NEVER_INDEXED, LITERAL_BITS, name, value)
    if (name.isVolatile) return writeLiteral(target, at, LITERAL, LITERAL_BITS, name, value)
    const table = (this.#table ??= new SentTable(this.#maxTableBytes))
    const age = table.ageOf(name, value)
    if (age >= 0) return writeIndex(target, at, STATIC_TABLE.length + 1 + age)
    return table.insert(name, value)
      ? writeLiteral(target, at, LITERAL_INDEXED, LITERAL_INDEXED_BITS, name, value)
      : writeLiteral(target, at, LITERAL, LITERAL_BITS, name, value)
  }
}

/**
 * Writes a literal. Does not Huffman-code the value, which would save 20% of the bytes but take several times as long.
 *
 * @see RFC 7541 §6.2
 */
function writeLiteral(
  target: Buffer,
  offset: number,
  flags: number,
  prefixBits: number,
  name: SentName,
  value: string,
): number {
  const valueAt = writeName(target, offset, flags, prefixBits, name)
  const at = writeInteger(target, valueAt, 0, STRING_LENGTH_BITS, value.length)
  if (value.length > MAX_COPIED_BYTES) return at + target.write(value, at, 'latin1')
  for (let i = 0; i < value.length; i++) target[at + i] = value.charCodeAt(i)
  return at + value.length
}

function writeName(target: Buffer, offset: number, flags: number, prefixBits: number, name: SentName): number {
  const at = writeInteger(target, offset, flags, prefixBits, name.staticIndex)
  return name.staticIndex === 0 ? copy(name.bytes, target, at) : at
}

/** Writes an indexed field. @see RFC 7541 §6.1 */
function writeIndex(target: Buffer, at: number, index: number): number {
  if (index >= 2 ** INDEXED_BITS - 1) return writeInteger(target, at, INDEXED, INDEXED_BITS, index)
  target[at] = INDEXED | index
  return at + 1
}

function copy(bytes: Uint8Array, target: Buffer, at: number): number {
  if (bytes.length > MAX_COPIED_BYTES) target.set(bytes, at)
  else for (let i = 0; i < bytes.length; i++) target[at + i] = bytes[i] ?? 0
  return at + bytes.length
}

function staticStatuses(): Map<number, number> {
  const statuses = new Map<number, number>()
  for (const [at, [name, value]] of STATIC_TABLE.entries()) if (name === ':status') statuses.set(Number(value), at + 1)
  return statuses
}
