/** Token of source code. */
export interface Token {
  readonly kind: 'text' | 'keyword' | 'string'
  readonly text: string
}

const PATTERN = /('[^']*'|`[^`]*`)|\b(const|let|return|await|async|if|throw|new|undefined)\b/g

/** Splits a line of source code into tokens for coloring. */
export function tokens(line: string): readonly Token[] {
  const found: Token[] = []
  let end = 0
  for (const match of line.matchAll(PATTERN)) {
    if (match.index > end) found.push({ kind: 'text', text: line.slice(end, match.index) })
    found.push({ kind: match[1] === undefined ? 'keyword' : 'string', text: match[0] })
    end = match.index + match[0].length
  }
  if (end < line.length) found.push({ kind: 'text', text: line.slice(end) })
  return found
}
