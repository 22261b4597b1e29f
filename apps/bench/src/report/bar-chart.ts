import { METRICS, formatMetric } from '../metrics.ts'
import type { ComparisonResult, GroupResult, Row } from './result.ts'
import { svg, text } from './svg.ts'

const WIDTH = 720
const LABEL_WIDTH = 130
const BAR_WIDTH = 430
const BAR_HEIGHT = 18
const TITLE_HEIGHT = 34

/** The first figure of every comparison as bars, one panel below the other. */
export function barChart({ group, comparisons }: GroupResult): string {
  let top = 8
  const panels = comparisons
    .filter(({ rows }) => rows.length > 0)
    .map((comparison) => {
      const drawn = panel(comparison, top)
      top += TITLE_HEIGHT + comparison.rows.length * (BAR_HEIGHT + 4) + 14
      return drawn
    })
  return svg(WIDTH, top, `Benchmarks: ${group}`, panels.join(''))
}

function panel({ name, metrics, rows }: ComparisonResult, top: number): string {
  const [metric] = metrics
  if (metric === undefined) return ''
  const valueOf = (row: Row): number => row.figures[metric]?.median ?? 0
  const most = Math.max(...rows.map(valueOf))
  const bars = rows.map((row, at) => {
    const y = top + TITLE_HEIGHT + at * (BAR_HEIGHT + 4)
    const width = most > 0 ? (BAR_WIDTH * valueOf(row)) / most : 0
    const middle = y + BAR_HEIGHT - 5
    return (
      text(LABEL_WIDTH - 8, middle, row.name, 'end') +
      `<rect class="${isOurs(row) ? 'own' : 'peer'}" x="${LABEL_WIDTH}" y="${y}" width="${width.toFixed(1)}" height="${BAR_HEIGHT}" rx="2"/>\n` +
      text(LABEL_WIDTH + width + 8, middle, formatMetric(metric, valueOf(row)))
    )
  })
  const { title, better } = METRICS[metric]
  return text(8, top + 22, `${name}: ${title} (${better} is better)`, 'start', 'title') + bars.join('')
}

function isOurs({ name }: Row): boolean {
  return name === 'fw' || name.startsWith('fw ')
}
