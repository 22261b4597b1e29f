const TOKEN = /[^\s=;,"\\]/

/**
 * Reads a `Forwarded` field from its start, character by character.
 *
 * @returns The `for` parameters of each element; `undefined` if the field is malformed anywhere
 * @see RFC 7239 §4
 */
export function readForwarded(field: string): string[][] | undefined {
  const elements: string[][] = [[]]
  let at = 0
  const skipSpace = (): void => {
    while (field[at] === ' ' || field[at] === '\t') at++
  }
  const token = (): string => {
    const start = at
    while (at < field.length && TOKEN.test(field[at] ?? '')) at++
    return field.slice(start, at)
  }
  for (;;) {
    skipSpace()
    const name = token()
    if (name !== '') {
      if (field[at++] !== '=') return undefined
      const value = field[at] === '"' ? quoted() : token()
      if (value === undefined) return undefined
      if (name.toLowerCase() === 'for') elements.at(-1)?.push(value)
      skipSpace()
    }
    if (at === field.length) return elements
    const separator = field[at++]
    if (separator === ',') elements.push([])
    else if (separator !== ';') return undefined
  }

  function quoted(): string | undefined {
    let text = ''
    for (at++; at < field.length; at++) {
      if (field[at] === '"') {
        at++
        return text
      }
      if (field[at] === '\\') at++
      text += field[at] ?? ''
    }
    return undefined
  }
}
