import type { FieldList } from '@fw/types'
import { STATIC_TABLE } from './static-table.ts'
import { FIELD_OVERHEAD_BYTES } from './dynamic-table.ts'

/** A field as it was received, latin1. */
export interface ReceivedField {
  readonly name: string
  readonly value: string
  /** Bytes of name and value, and 32 more. */
  readonly bytes: number
  readonly isNameValid: boolean
  readonly isValueValid: boolean
}

export function receivedField(name: string, value: string, isNameValid: boolean, isValueValid: boolean): ReceivedField {
  return { name, value, bytes: name.length + value.length + FIELD_OVERHEAD_BYTES, isNameValid, isValueValid }
}

/** The static table (RFC 7541 Appendix A); number 1 comes first. */
export const STATIC_FIELDS: readonly ReceivedField[] = STATIC_TABLE.map(([name, value]) =>
  receivedField(name, value, true, true),
)

const KNOWN_NAMES: ReadonlyMap<string, string> = new Map(STATIC_TABLE.map(([name]) => [name, name]))

/** The one string that stands for a name in the static table; any other name as it is. */
export function knownName(name: string): string {
  return KNOWN_NAMES.get(name) ?? name
}

/** 1 for each byte of a token in lower case (RFC 9110 §5.6.2). */
const NAME_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[!#$%&'*+\-.^_`|~0-9a-z]/.test(String.fromCharCode(byte)) ? 1 : 0,
)
const COLON = 0x3a
const SPACE = 0x20
const TAB = 0x09
const DELETE = 0x7f

/**
 * Whether a name is a token in lower case, behind a colon for a pseudo-header field.
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
 * Whether a value has no controls but HTAB and no white space around it.
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

/** A decoded field block. Equal blocks of a connection may get the same object, so nobody changes it. */
export interface FieldSection {
  /** As they were sent, values with the bytes above 0x7f as they are. Those that fitted, if it is too large. */
  readonly fields: FieldList
  /** Bytes of all names and values, and 32 more for each field (RFC 9113 §6.5.2). */
  readonly listBytes: number
  readonly isTooLarge: boolean
  /**
   * Whether all of `fields` keep to RFC 9113 §8.2.1: names are tokens in lower case, behind a colon for pseudo-header
   * fields; values have no controls but HTAB and no white space around them.
   */
  readonly isWellFormed: boolean
}
