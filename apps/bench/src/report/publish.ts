import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { barChart } from './bar-chart.ts'
import { groupMarkdown } from './markdown.ts'
import type { GroupResult } from './result.ts'

const RESULTS = new URL('../../results/', import.meta.url)
const DOCS = new URL('../../../../docs/', import.meta.url)

/** Keeps what a group came to: `results/<group>.json`, its chart, and its tables in `docs/benchmarks.md`. */
export function publish(result: GroupResult): Promise<void> {
  return publishAs(result.group, result, barChart(result), groupMarkdown(result))
}

/** The same for a result of any shape. */
export async function publishAs(group: string, result: object, chart: string, tables: string): Promise<void> {
  await mkdir(RESULTS, { recursive: true })
  await writeFile(new URL(`${group}.json`, RESULTS), `${JSON.stringify(result, undefined, 2)}\n`)
  await mkdir(new URL('benchmarks/', DOCS), { recursive: true })
  await writeFile(new URL(`benchmarks/${group}.svg`, DOCS), chart)
  const page = new URL('benchmarks.md', DOCS)
  await writeFile(page, replaceSection(await readFile(page, 'utf8'), group, tables))
}

/**
 * Puts the tables of a group between `<!-- group -->` and `<!-- /group -->`.
 *
 * @throws {Error} if the page has no such marks
 */
export function replaceSection(page: string, group: string, tables: string): string {
  const [begin, end] = [`<!-- ${group} -->`, `<!-- /${group} -->`]
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`docs/benchmarks.md has no marks ${begin} and ${end}`)
  const chart = `![${group}](benchmarks/${group}.svg)`
  return `${page.slice(0, from + begin.length)}\n\n${chart}\n\n${tables}\n${page.slice(to)}`
}
