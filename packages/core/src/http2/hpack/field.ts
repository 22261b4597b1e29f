import type { FieldList } from '@fw/types'
import { STATIC_TABLE } from './static-table.ts'
import { FIELD_OVERHEAD_BYTES } from './dynamic-table.ts'

/** A received field. Name and value are Latin-1 strings. */
export interface ReceivedField {
  readonly name: string
  readonly value: string
  /** Bytes of name and value, plus 32 (RFC 7541 §4.1). */
  readonly bytes: number
  readonly isNameValid: boolean
  readonly isValueValid: boolean
}

/** Creates a field and computes its size. */
export function receivedField(name: string, value: string, isNameValid: boolean, isValueValid: boolean): ReceivedField {
  return { name, value, bytes: name.length + value.length + FIELD_OVERHEAD_BYTES, isNameValid, isValueValid }
}

/** Fields of the static table (RFC 7541 Appendix A). The field with index 1 comes first. */
export const STATIC_FIELDS: readonly ReceivedField[] = STATIC_TABLE.map(([name, value]) =>
  receivedField(name, value, true, true),
)

const KNOWN_NAMES: ReadonlyMap<string, string> = new Map(STATIC_TABLE.map(([name]) => [name, name]))

/** Returns the shared string for a name in the static table, which saves memory. Returns any other name unchanged. */
export function knownName(name: string): string {
  return KNOWN_NAMES.get(name) ?? name
}

/** Table with 1 for each byte that a lowercase token may contain (RFC 9110 §5.6.2). */
const NAME_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[!#$%&'*+\-.^_`|~0-9a-z]/.test(String.fromCharCode(byte)) ? 1 : 0,
)
const COLON = 0x3a
const SPACE = 0x20
const TAB = 0x09
const DELETE = 0x7f

/**
 * Reports whether a name is a lowercase token, optionally after the colon of a pseudo-header field.
 *
 * @see RFC 9113 §8.2.1
 */
export function isName(bytes: Uint8Array, start: number, end: number): boolean {
  const first = bytes[start] === COLON ? start + 1 : start
  if (first >= end) return false
  let valid = 1
  for (let i = first; i < end; i++) valid &= NAME_BYTES[bytes[i] ?? 0] ?? 0
  return valid !== 0
}

/**
 * Reports whether a value contains no control character except HTAB, and no surrounding whitespace.
 *
 * @see RFC 9113 §8.2.1
 */
export function isValue(bytes: Uint8Array, start: number, end: number): boolean {
  if (start === end) return true
  if (isSpace(bytes[start]) || isSpace(bytes[end - 1])) return false
  for (let i = start; i < end; i++) {
    const byte = bytes[i] ?? 0
    if ((byte < SPACE && byte !== TAB) || byte === DELETE) return false
  }
  return true
}

function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB
}

/** A decoded field block. Do not modify it, because identical blocks on a connection can share one object. */
export interface FieldSection {
  /** Fields as received, as Latin-1 strings. If the section is too large, contains only the fields up to the limit. */
  readonly fields: FieldList
  /** Bytes of all names and values, plus 32 per field (RFC 9113 §6.5.2). */
  readonly listBytes: number
  readonly isTooLarge: boolean
  /**
   * Whether all of `fields` follow RFC 9113 §8.2.1. Names are lowercase tokens, after a colon for pseudo-header fields.
   * Values contain no control character except HTAB, and no surrounding whitespace.
   */
  readonly isWellFormed: boolean
}
