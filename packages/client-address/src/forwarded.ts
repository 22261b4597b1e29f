/**
 * One `name=value`, quoted or not, or nothing, and what separates it from the next (RFC 7239 §4).
 *
 * White space has one place in each alternative: two beside each other take quadratic time over a long run of it.
 */
const PAIR = /[ \t]*(?:([^\s=;,"]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*))[ \t]*)?(;|,|$)/y

/**
 * The `for` parameter of each element of a `Forwarded` field, in order; empty where an element has none.
 * From an element on that cannot be read, a last empty one stands for all.
 *
 * @see RFC 7239 §4
 *
 * @example
 * forwardedFor('for=192.0.2.43;proto=http, for="[2001:db8::1]:80"')   // ['192.0.2.43', '[2001:db8::1]:80']
 */
export function forwardedFor(field: string): string[] {
  const elements: string[] = []
  let node = ''
  PAIR.lastIndex = 0
  while (true) {
    const pair = PAIR.exec(field)
    if (pair === null) return [...elements, '']
    const [, name, quoted, token = '', separator] = pair
    if (name?.toLowerCase() === 'for') node = quoted?.replaceAll(/\\(.)/g, '$1') ?? token
    if (separator === ';') continue
    elements.push(node)
    node = ''
    if (separator === '') return elements
  }
}
