/**
 * One `name=value`, quoted or not, or nothing, and what separates it from the next (RFC 7239 §4).
 *
 * White space has one place in each alternative: two beside each other take quadratic time over a long run of it. No
 * quote and no backslash stands outside of a quoted string: `lastElement` depends on it.
 */
const PAIR = /[ \t]*(?:([^\s=;,"\\]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;,"\\]*))[ \t]*)?(;|,|$)/y

interface Element {
  /** Each `for` parameter; RFC 7239 §4 allows one. */
  readonly nodes: readonly string[]
  /** Where the comma after it stands, or the end of the field. */
  readonly end: number
}

/**
 * The `for` parameter of the first element of a `Forwarded` field; empty if it has none or cannot be read.
 *
 * @see RFC 7239 §4
 */
export function firstForwardedFor(field: string): string {
  return readElement(field, 0)?.nodes.at(-1) ?? ''
}

/**
 * The `for` parameter of each element of a `Forwarded` field from the last one backwards; empty where an element has
 * none, or several. Before an element that cannot be read, an empty one ends the list.
 *
 * Well-formed elements at the end are read as they were appended, whatever stands before them.
 *
 * @see RFC 7239 §4
 *
 * @example
 * [...forwardedForFromLast('for=", for=192.0.2.43;proto=http, for="[2001:db8::1]:80"')]
 * // ['[2001:db8::1]:80', '192.0.2.43', '']
 */
export function* forwardedForFromLast(field: string): Generator<string, void> {
  for (let rest = field; ;) {
    const { nodes, start } = lastElement(rest)
    const [node = '', ...others] = nodes
    yield others.length === 0 ? node : ''
    if (start === 0) return
    rest = rest.slice(0, start - 1)
  }
}

/**
 * The shortest text after a comma, or the whole, that is one element.
 *
 * It is no part of a longer one: a part that begins inside a quoted string has that string's closing quote for an opening
 * one, so an odd number of quotes or, if some were escaped, a backslash outside of a string. For the same reason no
 * more than two attempts read the same byte, and the time is linear.
 */
function lastElement(text: string): { nodes: readonly string[]; start: number } {
  for (let start = text.length + 1; start > 0;) {
    start = start > 1 ? text.lastIndexOf(',', start - 2) + 1 : 0
    const element = readElement(text, start)
    if (element?.end === text.length) return { nodes: element.nodes, start }
  }
  return { nodes: [], start: 0 }
}

/** The element that begins at `start`, `undefined` if it is malformed. */
function readElement(text: string, start: number): Element | undefined {
  const nodes: string[] = []
  PAIR.lastIndex = start
  while (true) {
    const pair = PAIR.exec(text)
    if (pair === null) return undefined
    const [, name, quoted, token = '', separator = ''] = pair
    if (name?.toLowerCase() === 'for') nodes.push(quoted?.replaceAll(/\\(.)/g, '$1') ?? token)
    if (separator !== ';') return { nodes, end: PAIR.lastIndex - separator.length }
  }
}
