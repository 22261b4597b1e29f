import { readFileSync, readdirSync } from 'node:fs'
import { barChart } from '../../../bench/src/report/bar-chart.ts'
import type { GroupResult } from '../../../bench/src/report/result.ts'
import { ROOT } from './sources.ts'

const RESULTS = new URL('apps/bench/results/', ROOT)

/** Returns the results of all benchmark groups that compare candidates, by group name. */
export function readResults(): ReadonlyMap<string, GroupResult> {
  const files = readdirSync(RESULTS).map((name) => readFileSync(new URL(name, RESULTS), 'utf8'))
  const results = files.map((json) => JSON.parse(json) as GroupResult | { group: string })
  return new Map(results.filter((result) => 'comparisons' in result).map((result) => [result.group, result]))
}

/** Returns the charts of each group as SVG, by file name: `http1` and, for phones, `http1-narrow`. */
export function chartsOf(): ReadonlyMap<string, string> {
  const charts = Array.from(readResults(), ([group, result]): [string, string][] => [
    [group, barChart(result)],
    [`${group}-narrow`, barChart(result, 'narrow')],
  ])
  return new Map(charts.flat())
}
