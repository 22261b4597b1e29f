import type { FieldList } from '@fw/types'
import { STATIC_TABLE } from './static-table.ts'

/** Maximum bytes that a field uses in addition to its name and value: two length prefixes. */
const FIELD_OVERHEAD_BYTES = 16
/** Bytes of the field section prefix (Required Insert Count and Base) without a dynamic table (RFC 9204 §4.5.1). */
const PREFIX_BYTES = 2

interface StaticName {
  /** Index of the first entry with this name. */
  readonly index: number
  readonly values: Map<string, number>
}

const STATIC_NAMES: ReadonlyMap<string, StaticName> = indexStaticTable()

/**
 * Encodes a field section with static-table references and literals. Without a dynamic table, no stream has to wait for
 * another. Values are not Huffman-coded, which costs bytes but saves CPU time.
 *
 * @param fields Names in lower case, values in Latin-1
 * @see RFC 9204 §4.5
 */
export function encodeFieldSection(fields: FieldList): Buffer {
  let size = PREFIX_BYTES
  for (const text of fields) size += text.length + FIELD_OVERHEAD_BYTES / 2
  const section = Buffer.allocUnsafe(size)
  let at = section.writeUInt16BE(0, 0)
  for (let i = 0; i < fields.length; i += 2) at = writeFieldLine(section, fields[i] ?? '', fields[i + 1] ?? '', at)
  return section.subarray(0, at)
}

/** @see RFC 9204 §4.5.2, §4.5.4, §4.5.6 */
function writeFieldLine(target: Buffer, name: string, value: string, start: number): number {
  const known = STATIC_NAMES.get(name)
  const index = known?.values.get(value)
  if (index !== undefined) return writeInteger(target, 0b1100_0000, 6, index, start)
  let at
  if (known !== undefined) at = writeInteger(target, 0b0101_0000, 4, known.index, start)
  else at = writeString(target, 0b0010_0000, 3, name, start)
  return writeString(target, 0, 7, value, at)
}

function writeString(target: Buffer, flags: number, prefixBits: number, text: string, start: number): number {
  const at = writeInteger(target, flags, prefixBits, text.length, start)
  return at + target.write(text, at, 'latin1')
}

/** @see RFC 7541 §5.1 */
function writeInteger(target: Buffer, flags: number, prefixBits: number, value: number, start: number): number {
  const max = 2 ** prefixBits - 1
  if (value < max) return target.writeUInt8(flags | value, start)
  let at = target.writeUInt8(flags | max, start)
  let rest = value - max
  for (; rest >= 128; rest = Math.floor(rest / 128)) at = target.writeUInt8((rest % 128) | 128, at)
  return target.writeUInt8(rest, at)
}

function indexStaticTable(): Map<string, StaticName> {
  const names = new Map<string, StaticName>()
  for (const [index, [name, value]] of STATIC_TABLE.entries()) {
    let entry = names.get(name)
    if (entry === undefined) names.set(name, (entry = { index, values: new Map() }))
    entry.values.set(value, index)
  }
  return names
}
