/** Fenced block of TypeScript. */
export interface ReadmeBlock {
  readonly code: string
  /** Number of the first line of code, counted from 1. */
  readonly line: number
  /** Whether to run the block: false if it is marked `no-run`. */
  readonly isProgram: boolean
}

/** Returns the fenced `ts` blocks of a Markdown text. */
export function readmeBlocks(markdown: string): ReadmeBlock[] {
  const blocks: ReadmeBlock[] = []
  let open: { info: string; line: number; code: string[] } | undefined
  for (const [at, line] of markdown.split(/\r?\n/).entries()) {
    const fence = /^```(.*)$/.exec(line)
    if (fence === null) {
      open?.code.push(line)
    } else if (open === undefined) {
      open = { info: fence[1]?.trim() ?? '', line: at + 2, code: [] }
    } else {
      const [language, ...marks] = open.info.split(/\s+/)
      if (language === 'ts') {
        blocks.push({ code: `${open.code.join('\n')}\n`, line: open.line, isProgram: !marks.includes('no-run') })
      }
      open = undefined
    }
  }
  return blocks
}
