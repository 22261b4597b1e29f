import { FIELD_OVERHEAD_BYTES } from './hpack-dynamic-table.ts'
import { STATIC_TABLE } from './hpack-static-table.ts'
import { stringLiteral } from './hpack-string.ts'

/** Values that differ from answer to answer; in a table they would only evict the others. */
const PASSING_FIELDS: readonly string[] = [
  'age',
  'content-length',
  'content-range',
  'etag',
  'expires',
  'last-modified',
  'location',
  'retry-after',
]
/** Whoever can make us compress guesses next to these must not see by the size that a guess was right (RFC 7541 §7.1). */
const SECRET_FIELDS: readonly string[] = [
  'authentication-info',
  'authorization',
  'cookie',
  'proxy-authentication-info',
  'proxy-authorization',
  'set-cookie',
]

/** Applications send few names and values; those made from input must not fill the memory. */
const MAX_NAMES = 512
const MAX_NAME_LENGTH = 128
const MAX_FIELDS = 1024
/** Of one field, name and value. A longer one does not repeat often enough to be looked for. */
const MAX_FIELD_BYTES = 3072
/** Of all fields. */
const MAX_BYTES = 256 * 1024
/** After so many new values in a row a name is taken to have a new one each time … */
const NEW_VALUES = 32
/** … for so many more. */
const NEW_VALUES_UNTIL_NEXT_LOOK = 1024

/** A field that may be sent again. */
export interface SentField {
  readonly name: SentName
  readonly value: string
  /** Octets of name and value, and 32 more. */
  readonly bytes: number
  /** Whether it was sent before; only then it is worth a place in a table. */
  isRepeated: boolean
  /** Its number in the dynamic table where it was found last, which may be that of another connection. */
  hint: number
  /** The value as a string literal, made when it first enters a table. */
  octets: Uint8Array | undefined
}

/** A field name as it is sent, the same for all connections. */
export interface SentName {
  readonly text: string
  /** The first number of the name in the static table, or 0. */
  readonly staticIndex: number
  /** The name as a string literal. */
  readonly octets: Uint8Array
  readonly isPassing: boolean
  readonly isSecret: boolean
  /** The field of that name that was sent last. */
  last: SentField | undefined
  readonly fields: Map<string, SentField>
  /** New values in a row. */
  newValues: number
}

const KNOWN_NAMES: ReadonlyMap<string, SentName> = knownNames()
let names = new Map(KNOWN_NAMES)
let fieldCount = 0
let fieldBytes = 0

/** What is known about a name. */
export function sentName(text: string): SentName {
  return names.get(text) ?? newName(text)
}

/**
 * The object that stands for a field, so that connections can compare fields as objects.
 *
 * @returns `undefined` for one that is to be in no table
 */
export function sentField(name: SentName, value: string): SentField | undefined {
  const { last } = name
  if (last !== undefined && last.value === value) return repeated(last)
  if (name.isPassing || name.isSecret) return undefined
  if (name.newValues > NEW_VALUES) {
    if (++name.newValues < NEW_VALUES_UNTIL_NEXT_LOOK) return undefined
    name.newValues = NEW_VALUES
  }
  const known = name.fields.get(value)
  return (name.last = known === undefined ? newField(name, value) : repeated(known))
}

function repeated(field: SentField): SentField {
  field.name.newValues = 0
  field.isRepeated = true
  return field
}

function newName(text: string): SentName {
  const name = sentNameOf(text, 0)
  if (text.length > MAX_NAME_LENGTH) return name
  if (names.size >= MAX_NAMES) forget()
  names.set(text, name)
  return name
}

function newField(name: SentName, value: string): SentField | undefined {
  name.newValues++
  const bytes = name.text.length + value.length + FIELD_OVERHEAD_BYTES
  if (bytes > MAX_FIELD_BYTES) return undefined
  if (fieldCount >= MAX_FIELDS || fieldBytes + bytes > MAX_BYTES) forget()
  fieldCount++
  fieldBytes += bytes
  const field = { name, value, bytes, isRepeated: false, hint: 0, octets: undefined }
  name.fields.set(value, field)
  return field
}

/** Begins anew; what is sent often comes back at once. */
function forget(): void {
  for (const name of names.values()) {
    name.fields.clear()
    name.last = undefined
  }
  names = new Map(KNOWN_NAMES)
  fieldCount = 0
  fieldBytes = 0
}

function knownNames(): Map<string, SentName> {
  const known = new Map<string, SentName>()
  for (const [at, [name]] of STATIC_TABLE.entries()) {
    if (!known.has(name)) known.set(name, sentNameOf(name, at + 1))
  }
  for (const name of [...PASSING_FIELDS, ...SECRET_FIELDS]) {
    if (!known.has(name)) known.set(name, sentNameOf(name, 0))
  }
  return known
}

function sentNameOf(text: string, staticIndex: number): SentName {
  return {
    text,
    staticIndex,
    octets: stringLiteral(text),
    isPassing: PASSING_FIELDS.includes(text),
    isSecret: SECRET_FIELDS.includes(text),
    last: undefined,
    fields: new Map(),
    newValues: 0,
  }
}
