import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { barChart } from './bar-chart.ts'
import { groupMarkdown } from './markdown.ts'
import type { GroupResult } from './result.ts'

const RESULTS = new URL('../../results/', import.meta.url)
const DOCS = new URL('../../../../docs/', import.meta.url)

/** Writes the results of a group to `results/<group>.json`, its chart, and its tables in `docs/benchmarks.md`. */
export function publish(result: GroupResult): Promise<void> {
  return publishAs(result.group, result, barChart(result), groupMarkdown(result))
}

/** Writes a result of any type, like `publish`. */
export async function publishAs(group: string, result: object, chart: string, tables: string): Promise<void> {
  await mkdir(RESULTS, { recursive: true })
  await writeFile(new URL(`${group}.json`, RESULTS), `${JSON.stringify(result, undefined, 2)}\n`)
  await mkdir(new URL('benchmarks/', DOCS), { recursive: true })
  await writeFile(new URL(`benchmarks/${group}.svg`, DOCS), chart)
  const page = new URL('benchmarks.md', DOCS)
  await writeFile(page, replaceSection(await readFile(page, 'utf8'), group, tables))
}

/**
 * Replaces the text between `<!-- group -->` and `<!-- /group -->` with the group's chart and tables.
 *
 * @throws {Error} if the page does not contain both markers
 */
export function replaceSection(page: string, group: string, tables: string): string {
  const [begin, end] = [`<!-- ${group} -->`, `<!-- /${group} -->`]
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`docs/benchmarks.md must contain the markers ${begin} and ${end}`)
  const chart = `![${group}](benchmarks/${group}.svg)`
  return `${page.slice(0, from + begin.length)}\n\n${chart}\n\n${tables}\n${page.slice(to)}`
}
