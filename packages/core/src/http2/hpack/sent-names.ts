import { STATIC_TABLE } from './static-table.ts'
import { stringLiteral } from './string.ts'

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

/** Applications send few names; those made from input must not fill the memory. */
const MAX_NAMES = 512
const MAX_NAME_LENGTH = 128

/**
 * A field name as it is sent, the same for all connections. Nothing is known here of the values that were sent: what one
 * client gets must not show in the bytes that another one gets (RFC 7541 §7.1).
 */
// docs/decisions/0088
export interface SentName {
  readonly text: string
  /** The first number of the name in the static table, or 0. */
  readonly staticIndex: number
  /** The name as a string literal. */
  readonly bytes: Uint8Array
  readonly isPassing: boolean
  readonly isSecret: boolean
  /** Stands for the name where a connection keeps something by names; others may have the same. */
  readonly slot: number
}

/** Slots of names, a power of two. */
export const NAME_SLOTS = 64

const KNOWN_NAMES: ReadonlyMap<string, SentName> = knownNames()
let names = new Map(KNOWN_NAMES)

/** What is known about a name. */
export function sentName(text: string): SentName {
  return names.get(text) ?? newName(text)
}

function newName(text: string): SentName {
  const name = sentNameOf(text, 0)
  if (text.length > MAX_NAME_LENGTH) return name
  // What is sent often comes back at once.
  if (names.size >= MAX_NAMES) names = new Map(KNOWN_NAMES)
  names.set(text, name)
  return name
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
    bytes: stringLiteral(text),
    isPassing: PASSING_FIELDS.includes(text),
    isSecret: SECRET_FIELDS.includes(text),
    slot: slotOf(text),
  }
}

/** By the name alone, so that it does not depend on what was sent before. */
function slotOf(text: string): number {
  let hash = 0
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash, 31) + text.charCodeAt(i)
  return (hash ^ (hash >>> 6) ^ (hash >>> 12)) & (NAME_SLOTS - 1)
}
