/** Fenced block of a page, in any language. */
export interface PageBlock {
  readonly language: string
  readonly code: string
  /** Number of the first line of code, counted from 1. */
  readonly line: number
  /** Name of the file that contains the code, from `title="app.ts"`. */
  readonly title?: string
  /** Reason not to run the block, from `no-run="…"`; empty if the mark does not state a reason. */
  readonly noRun?: string
  /** Whether the commands of a `console` block keep running, from the mark `background`. */
  readonly isBackground: boolean
}

/** Returns the fenced blocks of a Markdown document, without the indentation of their fences. */
export function pageBlocks(markdown: string): PageBlock[] {
  const blocks: PageBlock[] = []
  let open: { indent: string; info: string; line: number; code: string[] } | undefined
  for (const [at, line] of markdown.split(/\r?\n/).entries()) {
    const [, indent = '', info] = /^( *)```(.*)$/.exec(line) ?? []
    if (info === undefined) {
      open?.code.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line)
    } else if (open === undefined) {
      open = { indent, info: info.trim(), line: at + 2, code: [] }
    } else {
      blocks.push(blockOf(open.info, `${open.code.join('\n')}\n`, open.line))
      open = undefined
    }
  }
  return blocks
}

function blockOf(info: string, code: string, line: number): PageBlock {
  const [language = ''] = info.split(' ')
  const title = /\btitle="([^"]*)"/.exec(info)?.[1]
  const noRun = /\bno-run(?:="([^"]*)")?/.exec(info)
  return {
    language,
    code,
    line,
    ...(title !== undefined && { title }),
    ...(noRun !== null && { noRun: noRun[1] ?? '' }),
    isBackground: /\sbackground\b/.test(info),
  }
}
