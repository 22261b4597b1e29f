import { METRICS, formatMetric, type MetricKey } from '../metrics.ts'
import { describeLimit, type TargetResult } from '../targets.ts'
import type { ComparisonResult, GroupResult, Row } from './result.ts'
import { markdownTable } from './table.ts'

/** Returns the tables of a group, one per comparison. */
export function groupMarkdown({ date, machine, rounds, seconds, comparisons }: GroupResult): string {
  const about = `${date.slice(0, 10)}; ${machine}; median of ${rounds} ${rounds === 1 ? 'round' : 'rounds'}${seconds === undefined ? '' : ` of ${seconds} s`}.`
  return [`${about}\n`, ...comparisons.map(comparisonMarkdown)].join('\n')
}

/**
 * Returns a table with the median, ratio and spread of the first metric, the medians of the others, and the targets.
 */
export function comparisonMarkdown(result: ComparisonResult): string {
  const [first, ...others] = result.metrics
  if (first === undefined) return ''
  const head = [
    '',
    METRICS[first].title,
    `÷ ${result.reference}`,
    'min – max',
    ...others.map((metric) => METRICS[metric].title),
    ...(result.targets.length === 0 ? [] : ['target']),
  ]
  const rows = result.rows.map((row) => [
    row.name,
    medianOf(row, first),
    ratioOf(row, first),
    spreadOf(row, first),
    ...others.map((metric) => withRatio(row, metric)),
    ...(result.targets.length === 0 ? [] : [targetsOf(row.name, result.targets, first)]),
  ])
  const missing = result.unmeasured.map(({ name, reason }) => `\nNot measured: ${name} (${firstLine(reason)}).\n`)
  return `**${result.name}**: ${result.title}.\n\n${markdownTable(head, rows)}${missing.join('')}${describeDisturbance(result)}`
}

/** Describes the load from other virtual machines. Returns an empty string if there was none. */
function describeDisturbance({ disturbance: { stolenShare, repeatedTurns } }: ComparisonResult): string {
  if (stolenShare === 0 && repeatedTurns === 0) return ''
  const turns =
    repeatedTurns === 0 ? 'no turns were' : repeatedTurns === 1 ? '1 turn was' : `${repeatedTurns} turns were`
  return `\nSteal time was at most ${(stolenShare * 100).toFixed(1)}% in the counted turns; ${turns} repeated.\n`
}

function medianOf({ figures }: Row, metric: MetricKey): string {
  const figure = figures[metric]
  return figure === undefined || Number.isNaN(figure.median) ? '' : formatMetric(metric, figure.median)
}

/** Adds the ratio to the CPU time, because other load on the machine affects CPU time less than the rate. */
function withRatio(row: Row, metric: MetricKey): string {
  const [figure, ratio] = [medianOf(row, metric), ratioOf(row, metric)]
  return metric === 'cpuMicros' && ratio !== '' ? `${figure} (${ratio} ×)` : figure
}

/** Returns the ratio to the reference, or an empty string if the reference was not measured. */
function ratioOf({ figures }: Row, metric: MetricKey): string {
  const ratio = figures[metric]?.ratio ?? Number.NaN
  return Number.isNaN(ratio) ? '' : ratio.toFixed(2)
}

function spreadOf({ figures }: Row, metric: MetricKey): string {
  const figure = figures[metric]
  if (figure === undefined || Number.isNaN(figure.median)) return ''
  return `${formatMetric(metric, figure.min)} – ${formatMetric(metric, figure.max)}`
}

/** Returns the figure for each target, and marks a missed target. */
function targetsOf(name: string, targets: readonly TargetResult[], first: MetricKey): string {
  return targets
    .filter(({ target }) => target.of === name)
    .map(({ value, target, isMet }) => {
      const reached = target.to === undefined ? formatMetric(target.metric, value) : value.toFixed(2)
      const figure = target.metric === first ? '' : `${METRICS[target.metric].title} `
      return `${figure}${describeLimit(target)}: ${isMet ? reached : `**missed, ${reached}**`}`
    })
    .join('; ')
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
