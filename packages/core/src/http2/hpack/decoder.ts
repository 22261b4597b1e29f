import { HpackDynamicTable } from './dynamic-table.ts'
import { HpackError } from './error.ts'
import { isName, isValue, knownName, receivedField, STATIC_FIELDS } from './field.ts'
import type { FieldSection, ReceivedField } from './field.ts'
import { readInteger } from './integer.ts'
import type { BlockCursor } from './integer.ts'
import { RecentSections } from './recent-sections.ts'
import { readString } from './string.ts'

/** Default SETTINGS_HEADER_TABLE_SIZE, in bytes (RFC 9113 §6.5.2). */
const INITIAL_TABLE_BYTES = 4096
/** Maximum number of table size updates per block: the smallest and the last size (RFC 7541 §4.2). */
const MAX_SIZE_UPDATES = 2

/**
 * Decodes the field blocks of one direction of a connection.
 *
 * @see RFC 7541 §3
 */
export class HpackDecoder {
  readonly #maxTableBytes: number
  readonly #maxListBytes: number
  readonly #table = new HpackDynamicTable<ReceivedField>(INITIAL_TABLE_BYTES)
  readonly #recent = new RecentSections()

  /**
   * @param maxTableBytes SETTINGS_HEADER_TABLE_SIZE announced to the peer
   * @param maxListBytes Maximum size of a field section. A larger section is decoded, but fields above the limit are
   * dropped
   */
  constructor(maxTableBytes: number, maxListBytes: number) {
    this.#maxTableBytes = maxTableBytes
    this.#maxListBytes = maxListBytes
  }

  /**
   * Decodes a whole field block, which must be the next one on the connection.
   *
   * @returns The section; the same object as for an earlier identical block if the table has not changed since
   * @throws {HpackError} if the block is malformed; the decoder must not be used afterwards
   */
  decode(block: Buffer, start: number, end: number): FieldSection {
    const known = this.#recent.find(block, start, end)
    if (known !== undefined) return known

    const cursor: BlockCursor = { bytes: block, at: start, end }
    const table = this.#table
    const fields: string[] = []
    let listBytes = 0
    let isWellFormed = true
    let changesTable = this.#readSizeUpdates(cursor)
    while (cursor.at < end) {
      const first = block[cursor.at] ?? 0
      let field
      if (first > 0x80 && first < 0xff) {
        cursor.at++
        field = this.#field(first & 0x7f)
      } else if (first >= 0x80) field = this.#field(readInteger(cursor, 7))
      else if (first >= 0x40) {
        field = this.#readLiteral(cursor, 6)
        table.insert(field)
        changesTable = true
      } else if (first >= 0x20) throw new HpackError('a table size update after a field')
      else field = this.#readLiteral(cursor, 4)
      listBytes += field.bytes
      if (listBytes > this.#maxListBytes) continue
      fields.push(field.name, field.value)
      isWellFormed = isWellFormed && field.isNameValid && field.isValueValid
    }
    const section = { fields, listBytes, isTooLarge: listBytes > this.#maxListBytes, isWellFormed }
    if (changesTable) this.#recent.clear()
    else this.#recent.add(block, start, end, section)
    return section
  }

  /**
   * Applies the table size updates at the start of a block.
   *
   * @returns Whether the block has any
   * @see RFC 7541 §4.2, §6.3
   */
  #readSizeUpdates(cursor: BlockCursor): boolean {
    const { bytes, at, end } = cursor
    let updates = 0
    while (cursor.at < end && ((bytes[cursor.at] ?? 0) & 0b1110_0000) === 0b0010_0000) {
      if (++updates > MAX_SIZE_UPDATES) throw new HpackError('more than two table size updates')
      const maxBytes = readInteger(cursor, 5)
      if (maxBytes > this.#maxTableBytes) throw new HpackError('a table size above the maximum')
      this.#table.resize(maxBytes)
    }
    return cursor.at !== at
  }

  /** Reads a literal field. @see RFC 7541 §6.2 */
  #readLiteral(cursor: BlockCursor, prefixBits: number): ReceivedField {
    const index = readInteger(cursor, prefixBits)
    let name
    let isNameValid
    if (index === 0) {
      const { bytes, at, end } = readString(cursor)
      name = knownName(bytes.toString('latin1', at, end))
      isNameValid = isName(bytes, at, end)
    } else ({ name, isNameValid } = this.#field(index))
    const { bytes, at, end } = readString(cursor)
    return receivedField(name, bytes.toString('latin1', at, end), isNameValid, isValue(bytes, at, end))
  }

  /** Returns a field from the static or dynamic table. @see RFC 7541 §2.3.3 */
  #field(index: number): ReceivedField {
    const field = index > STATIC_FIELDS.length ? this.#table.at(index - STATIC_FIELDS.length - 1) : staticField(index)
    if (field === undefined) throw new HpackError('an index is outside both tables')
    return field
  }
}

function staticField(index: number): ReceivedField | undefined {
  return index === 0 ? undefined : STATIC_FIELDS[index - 1]
}
