import { STATIC_TABLE } from './static-table.ts'
import { stringLiteral } from './string.ts'

/** Names of fields whose value differs in each response. Indexing them would only evict other entries. */
const VOLATILE_FIELDS: readonly string[] = [
  'age',
  'content-length',
  'content-range',
  'etag',
  'expires',
  'last-modified',
  'location',
  'retry-after',
]
/**
 * Names of secret fields. They are not indexed, so that an attacker cannot test guesses by the compressed size (RFC
 * 7541 §7.1).
 */
const SECRET_FIELDS: readonly string[] = [
  'authentication-info',
  'authorization',
  'cookie',
  'proxy-authentication-info',
  'proxy-authorization',
  'set-cookie',
]

/**
 * Limits of the name cache, in entries and characters. They limit the memory of the cache if an application derives
 * names from input.
 */
const MAX_NAMES = 512
const MAX_NAME_LENGTH = 128

/**
 * An encoded field name, shared by all connections. Values are never shared, because the bytes for one client must not
 * reveal another client's fields (RFC 7541 §7.1).
 */
// docs/decisions/0088
export interface SentName {
  readonly text: string
  /** First index of the name in the static table, or 0. */
  readonly staticIndex: number
  /** Name as an HPACK string literal. */
  readonly bytes: Uint8Array
  /** Whether the value differs in each response. Indexing such a value is useless. */
  readonly isVolatile: boolean
  /** Whether the value is secret and must never be indexed. */
  readonly isSecret: boolean
  /** Hash of the name, below `NAME_SLOTS`: the index of per-connection data. Names can share a slot. */
  readonly slot: number
}

/** Number of slots, a power of two. */
export const NAME_SLOTS = 64

const KNOWN_NAMES: ReadonlyMap<string, SentName> = knownNames()
let names = new Map(KNOWN_NAMES)

/** Returns the encoded form of a name, from the cache if possible. */
export function sentName(text: string): SentName {
  return names.get(text) ?? newName(text)
}

function newName(text: string): SentName {
  const name = sentNameOf(text, 0)
  if (text.length > MAX_NAME_LENGTH) return name
  // Clear the whole cache, because frequent names are soon cached again.
  if (names.size >= MAX_NAMES) names = new Map(KNOWN_NAMES)
  names.set(text, name)
  return name
}

function knownNames(): Map<string, SentName> {
  const known = new Map<string, SentName>()
  for (const [at, [name]] of STATIC_TABLE.entries()) {
    if (!known.has(name)) known.set(name, sentNameOf(name, at + 1))
  }
  for (const name of [...VOLATILE_FIELDS, ...SECRET_FIELDS]) {
    if (!known.has(name)) known.set(name, sentNameOf(name, 0))
  }
  return known
}

function sentNameOf(text: string, staticIndex: number): SentName {
  return {
    text,
    staticIndex,
    bytes: stringLiteral(text),
    isVolatile: VOLATILE_FIELDS.includes(text),
    isSecret: SECRET_FIELDS.includes(text),
    slot: slotOf(text),
  }
}

/** Hashes the name only, so that the slot does not depend on earlier names. */
function slotOf(text: string): number {
  let hash = 0
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash, 31) + text.charCodeAt(i)
  return (hash ^ (hash >>> 6) ^ (hash >>> 12)) & (NAME_SLOTS - 1)
}
