/** A heading in a Markdown document. */
export interface Heading {
  /** Text without backticks. */
  readonly text: string
  /** Number of the line, counted from 0. */
  readonly line: number
}

/** Returns the headings of a Markdown document. Ignores lines in code blocks that begin with `#`. */
export function headingsOf(markdown: string): Heading[] {
  const headings: Heading[] = []
  let fenced = false
  for (const [line, content] of markdown.split('\n').entries()) {
    if (/^ *```/.test(content)) fenced = !fenced
    const text = /^#+ (.+)$/.exec(content)?.[1]
    if (!fenced && text !== undefined) headings.push({ text: text.replaceAll('`', ''), line })
  }
  return headings
}

/** Returns the anchor that Markdown renderers give a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}

/** Applies a function to the text between fenced code blocks. */
export function mapProse(markdown: string, map: (prose: string) => string): string {
  return markdown
    .split(/^( *```[^]*?^ *```$)/m)
    .map((part, at) => (at % 2 === 0 ? map(part) : part))
    .join('')
}

/** Returns the text of a page with its front matter. */
export function withFrontMatter(fields: Readonly<Record<string, string | boolean>>, markdown: string): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return `---\n${lines.join('\n')}\n---\n\n${markdown.trim()}\n`
}
