/**
 * Matches an optional `name=value` with its separator (RFC 7239 §4).
 *
 * Each alternative matches whitespace in only one place. If whitespace could match in two adjacent places, matching
 * would take quadratic time. Quotes and backslashes match only in quoted strings; `lastElement` depends on this.
 */
const PAIR = /[ \t]*(?:([^\s=;,"\\]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;,"\\]*))[ \t]*)?(;|,|$)/y

/** The parameters of one element, in field order. RFC 7239 §4 allows each parameter only once. */
export interface ForwardedElement {
  /** The values of `for`. */
  readonly nodes: readonly string[]
  /** The values of `proto`. */
  readonly protos: readonly string[]
  /** The values of `host`. */
  readonly hosts: readonly string[]
}

interface Element extends ForwardedElement {
  /** The index of the comma after the element, or the end of the field. */
  readonly end: number
}

const EMPTY: ForwardedElement = { nodes: [], protos: [], hosts: [] }

/**
 * Returns the `for` parameter of the first element of a `Forwarded` field; empty if it has none or is malformed.
 *
 * @see RFC 7239 §4
 */
export function firstForwardedFor(field: string): string {
  return readElement(field, 0)?.nodes.at(-1) ?? ''
}

/**
 * Yields the `for` parameter of each element in a `Forwarded` field, starting with the last; an empty string for an
 * element with none or several. A malformed element yields an empty string and ends the list.
 *
 * Well-formed elements at the end are read even if a client put malformed text before them.
 *
 * @see RFC 7239 §4
 *
 * @example
 * [...forwardedForFromLast('for=", for=192.0.2.43;proto=http, for="[2001:db8::1]:80"')]
 * // ['[2001:db8::1]:80', '192.0.2.43', '']
 */
export function* forwardedForFromLast(field: string): Generator<string, void> {
  for (const { nodes } of forwardedFromLast(field)) yield nodes.length === 1 ? (nodes[0] ?? '') : ''
}

/** Yields each element of a `Forwarded` field, starting with the last. A malformed element is empty and ends the list. */
export function* forwardedFromLast(field: string): Generator<ForwardedElement, void> {
  for (let rest = field; ;) {
    const { element, start } = lastElement(rest)
    yield element
    if (start === 0) return
    rest = rest.slice(0, start - 1)
  }
}

/**
 * Returns the shortest text after a comma, or the whole text, that is one element.
 *
 * This text cannot be part of a longer element. A part that begins in a quoted string has an odd number of quotes, or a
 * backslash outside a string. For the same reason, at most two attempts read the same byte, so the time is linear.
 */
function lastElement(text: string): { element: ForwardedElement; start: number } {
  for (let start = text.length + 1; start > 0;) {
    start = start > 1 ? text.lastIndexOf(',', start - 2) + 1 : 0
    const element = readElement(text, start)
    if (element?.end === text.length) return { element, start }
  }
  return { element: EMPTY, start: 0 }
}

/** Reads the element that begins at `start`; `undefined` if it is malformed. */
function readElement(text: string, start: number): Element | undefined {
  const found = new Map<string, string[]>([
    ['for', []],
    ['proto', []],
    ['host', []],
  ])
  PAIR.lastIndex = start
  while (true) {
    const pair = PAIR.exec(text)
    if (pair === null) return undefined
    const [, name, quoted, token = '', separator = ''] = pair
    if (name !== undefined) found.get(name.toLowerCase())?.push(quoted?.replaceAll(/\\(.)/g, '$1') ?? token)
    if (separator === ';') continue
    const [nodes = [], protos = [], hosts = []] = found.values()
    return { nodes, protos, hosts, end: PAIR.lastIndex - separator.length }
  }
}
