import { METRICS, formatMetric } from '../metrics.ts'
import type { ComparisonResult, GroupResult } from './result.ts'
import { svg, text } from './svg.ts'

const WIDTH = 720
const LABEL_WIDTH = 190
const BAR_WIDTH = 420
const BAR_HEIGHT = 18
const TITLE_HEIGHT = 34

/** Draws the first metric of each comparison as bars, one panel per comparison. */
export function barChart({ group, comparisons }: GroupResult): string {
  let top = 8
  const panels = comparisons.map((comparison) => {
    const bars = barsOf(comparison)
    const drawn = panel(comparison, bars, top)
    top += bars.length === 0 ? 0 : TITLE_HEIGHT + bars.length * (BAR_HEIGHT + 4) + 14
    return drawn
  })
  return svg(WIDTH, top, `Benchmarks: ${group}`, panels.join(''))
}

interface Bar {
  readonly name: string
  readonly value: number
}

/** Returns the bars of the candidates that have the first metric. */
function barsOf({ metrics: [metric], rows }: ComparisonResult): readonly Bar[] {
  if (metric === undefined) return []
  const bars = rows.map(({ name, figures }) => ({ name, value: figures[metric]?.median ?? Number.NaN }))
  return bars.filter(({ value }) => !Number.isNaN(value))
}

function panel({ name, metrics: [metric] }: ComparisonResult, bars: readonly Bar[], top: number): string {
  if (metric === undefined || bars.length === 0) return ''
  const max = Math.max(Number.MIN_VALUE, ...bars.map(({ value }) => value))
  const drawn = bars.map((bar, at) => {
    const y = top + TITLE_HEIGHT + at * (BAR_HEIGHT + 4)
    // A difference can be negative.
    const width = (BAR_WIDTH * Math.max(0, bar.value)) / max
    const middle = y + BAR_HEIGHT - 5
    return (
      text(LABEL_WIDTH - 8, middle, bar.name, 'end') +
      `<rect class="${isFw(bar.name) ? 'own' : 'peer'}" x="${LABEL_WIDTH}" y="${y}" width="${width.toFixed(1)}" height="${BAR_HEIGHT}" rx="2"/>\n` +
      text(LABEL_WIDTH + width + 8, middle, formatMetric(metric, bar.value))
    )
  })
  const { title, better } = METRICS[metric]
  return text(8, top + 22, `${name}: ${title} (${better} is better)`, 'start', 'title') + drawn.join('')
}

function isFw(name: string): boolean {
  return name === 'fw' || name.startsWith('fw ')
}
