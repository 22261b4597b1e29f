/** A fenced block of TypeScript. */
export interface ReadmeBlock {
  readonly code: string
  /** Line of its first line of code, counted from 1. */
  readonly line: number
  /** False for blocks marked `no-run`. */
  readonly isProgram: boolean
}

/** Finds the blocks fenced by three backticks and `ts`, such as the examples of a README. */
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
