import type { ErrorSite } from './error-sites.ts'

/**
 * Folder of the error pages, relative to `packages/core/docs`. Replace it with the site URL once the site has a public domain.
 * Until then, messages do not link to the page, because a link must not point to someone else's domain.
 */
const PAGES = '../../../docs/errors/'

// The prose of a table is checked in its source.
const [OFF, ON] = ['<!-- prose-check off -->', '<!-- prose-check on -->']
const MESSAGES = /^<!-- messages -->\n[^]*?^<!-- end of messages -->$/m
const CODES = /^<!-- error codes -->\n[^]*?^<!-- end of error codes -->$/m

/**
 * Replaces the content between the markers on an error code's page with the messages that its errors can have.
 *
 * @throws {Error} if the markers are missing
 */
export function fillMessages(page: string, sites: readonly ErrorSite[]): string {
  const lines = sites.flatMap(({ name, messages }) => messages.map((message) => `${name}: ${message}`))
  const list = [...new Set(lines)].toSorted().join('\n')
  return replaced(page, MESSAGES, `<!-- messages -->\n\n\`\`\`text\n${list}\n\`\`\`\n\n<!-- end of messages -->`)
}

/**
 * Replaces the content between the markers on a page with a table of all codes.
 *
 * @param pages Text of the error pages, by code
 * @throws {Error} if the markers are missing
 */
export function fillCodes(page: string, pages: ReadonlyMap<string, string>): string {
  const rows = Array.from(pages, ([code, text]) => [`[\`${code}\`](${PAGES}${code}.md)`, summaryOf(text)] as const)
  const widths = [4, 7]
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length)
  const lineOf = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  const head = [lineOf(['code', 'meaning']), lineOf(widths.map((width) => '-'.repeat(width)))]
  const table = [...head, ...rows.map(lineOf)].join('\n')
  return replaced(page, CODES, `<!-- error codes -->\n${OFF}\n\n${table}\n\n${ON}\n<!-- end of error codes -->`)
}

/**
 * Checks that an error page is complete.
 *
 * @returns One sentence for each problem
 */
export function pageFaults(code: string, page: string): string[] {
  const faults: string[] = []
  if (!page.startsWith(`# ${code}\n\n`)) faults.push(`must start with "# ${code}"`)
  if (summaryOf(page) === '') faults.push('must state the problem in one sentence after the title')
  for (const part of ['Cause', 'Fix', 'Example']) {
    if (!page.includes(`\n## ${part}\n\n`)) faults.push(`must have the part "## ${part}"`)
  }
  if (!/\n```ts\n[^]*\n```\n/.test(page)) faults.push('must have a ts block that provokes the error')
  return faults.map((fault) => `docs/errors/${code}.md ${fault}.`)
}

/** Returns the paragraph after the title, on one line. */
function summaryOf(page: string): string {
  const [, paragraph = ''] = page.split('\n\n')
  return /^[<#`]/.test(paragraph) ? '' : paragraph.replaceAll('\n', ' ').trim()
}

function replaced(page: string, block: RegExp, by: string): string {
  const [marker = ''] = by.split('\n')
  if (!block.test(page)) throw new Error(`${page.split('\n')[0]} has no ${marker}. Add the markers.`)
  return page.replace(block, () => by)
}
