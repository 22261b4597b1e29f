/** The maximum number of characters that an error message quotes from a string. */
const MAX_TEXT_LENGTH = 80

/**
 * Formats a value for an error message: quotes strings, and names the type of anything that is not a primitive.
 * Never shows PEM text, which can be a private key.
 *
 * @example
 * showValue('1')          // "1"
 * showValue(1)            // 1
 * showValue(new Map())    // a Map
 */
export function showValue(value: unknown): string {
  if (typeof value === 'string') {
    // A caller could pass a private key to the wrong option.
    if (value.includes('-----BEGIN')) return 'PEM text'
    return JSON.stringify(value.length > MAX_TEXT_LENGTH ? `${value.slice(0, MAX_TEXT_LENGTH)}…` : value)
  }
  if (typeof value === 'bigint') return `${value}n`
  // A template literal throws on symbols; `String()` formats them.
  return isReference(value) ? showType(value) : String(value)
}

function isReference(value: unknown): value is object {
  return typeof value === 'object' || typeof value === 'function'
}

/** Names the type of a value, for secrets that errors must not show. */
export function showType(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value !== 'object') return `a ${typeof value}`
  if (Array.isArray(value)) return 'an array'
  const name = constructorName(value)
  return name === undefined || name === 'Object' ? 'an object' : withArticle(name)
}

/** Prefixes a name with "a" or "an". Names that begin with "U", such as URL and Uint8Array, begin with a "y" sound. */
export function withArticle(name: string): string {
  return `${/^[AEIO]/i.test(name) ? 'an' : 'a'} ${name}`
}

function constructorName(value: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (typeof prototype !== 'object' || prototype === null || !Object.hasOwn(prototype, 'constructor')) return undefined
  const name = (prototype.constructor as { readonly name?: unknown } | null | undefined)?.name
  return typeof name === 'string' && name !== '' ? name : undefined
}
