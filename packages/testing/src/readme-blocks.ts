/** Fenced TypeScript block. */
export interface ReadmeBlock {
  readonly code: string
  /** Number of the first line of code, counted from 1. */
  readonly line: number
  /** Whether to run the block; false for a file (`title="server.ts"`) and for a block marked `no-run="reason"`. */
  readonly isProgram: boolean
}

/**
 * Returns the fenced `ts` blocks of a Markdown document.
 *
 * @throws {Error} if a `no-run` mark has no reason
 */
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
      const [language] = open.info.split(' ')
      if (language === 'ts') {
        if (/\bno-run(?!="[^"])/.test(open.info)) throw new Error(`Line ${open.line - 1}: no-run must state a reason`)
        blocks.push({
          code: `${open.code.join('\n')}\n`,
          line: open.line,
          isProgram: !/\b(?:no-run|title)=/.test(open.info),
        })
      }
      open = undefined
    }
  }
  return blocks
}
