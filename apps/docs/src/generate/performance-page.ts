import { readFileSync } from 'node:fs'
import { chartsOf, readResults } from './charts.ts'
import type { Body } from './repository-page.ts'
import { ROOT } from './sources.ts'

/** Title of each group, in page order. */
const GROUPS: Readonly<Record<string, string>> = {
  http1: 'HTTP/1.1',
  http2: 'HTTP/2',
  http3: 'HTTP/3',
  static: 'Static files',
  log: 'Log',
  'access-log': 'Access log',
  sse: 'Server-sent events',
  router: 'Router',
  memory: 'Memory',
  startup: 'Startup',
}

/** Returns the benchmark page. Its charts are drawn from `apps/bench/results`. */
export function performancePage(): Body {
  const [results, charts] = [readResults(), chartsOf()]
  const sections = Object.entries(GROUPS).map(([group, title]) => {
    const [result, wide, narrow] = [results.get(group), charts.get(group), charts.get(`${group}-narrow`)]
    if (result === undefined || wide === undefined || narrow === undefined) {
      throw new Error(`apps/bench/results has no group ${group}`)
    }
    const names = result.comparisons.map((comparison) => `**${comparison.name}**: ${comparison.title}.`)
    return [
      `## ${title}`,
      names.join(' '),
      [
        `<picture><source media="(max-width: 50rem)" srcset="/charts/${group}-narrow.svg" ${sizeOf(narrow)}>`,
        `<img src="/charts/${group}.svg" alt="Benchmark results: ${title}" ${sizeOf(wide)} loading="lazy"></picture>`,
      ].join('\n'),
      `\`pnpm bench ${group}\`; ${result.date.slice(0, 10)}; ${result.machine}; median of ${result.rounds} rounds.`,
    ].join('\n\n')
  })
  return {
    title: 'Performance',
    description: 'Compares fw with other servers, loggers and routers, including the targets that it misses.',
    markdown: [
      'These charts compare `fw` with other servers, loggers and routers. The blue bar is `fw`. One command repeats all measurements:',
      '```sh\nbash scripts/install-bench-tools.sh\npnpm bench\n```',
      'The servers take turns. The server runs on one CPU, and the load generator on another CPU of the same machine.',
      missedTargets(),
      ...sections,
    ].join('\n\n'),
  }
}

/** Returns the size attributes of an image, so that the page does not shift while it is loading. */
function sizeOf(chart: string): string {
  return /width="\d+" height="\d+"/.exec(chart)?.[0] ?? ''
}

/** Returns the table of missed targets, which `docs/benchmarks.md` explains. */
function missedTargets(): string {
  const page = readFileSync(new URL('docs/benchmarks.md', ROOT), 'utf8')
  const table = /^## Missed targets\n\n[^|]*^(?:\|.*\n)+/m.exec(page)?.[0]
  if (table === undefined) throw new Error('docs/benchmarks.md must have the table "Missed targets"')
  return table.trim()
}
