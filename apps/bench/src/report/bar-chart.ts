import { METRICS, formatMetric } from '../metrics.ts'
import type { ComparisonResult, GroupResult } from './result.ts'
import { svg, text } from './svg.ts'

/** Sizes of a chart in pixels. */
interface Layout {
  readonly width: number
  /** Left edge of the bars. */
  readonly left: number
  readonly barWidth: number
  /** Height of a bar's name if the name is above the bar instead of to its left. */
  readonly nameHeight: number
}

const LAYOUTS: Readonly<Record<'wide' | 'narrow', Layout>> = {
  wide: { width: 720, left: 190, barWidth: 420, nameHeight: 0 },
  narrow: { width: 360, left: 8, barWidth: 260, nameHeight: 18 },
}
const BAR_HEIGHT = 18
const TITLE_HEIGHT = 34

/**
 * Draws the first metric of each comparison as bars, one panel per comparison.
 *
 * @param form `narrow` fits the screen of a phone: the names are above the bars
 */
export function barChart({ group, comparisons }: GroupResult, form: keyof typeof LAYOUTS = 'wide'): string {
  const layout = LAYOUTS[form]
  let top = 8
  const panels = comparisons.map((comparison) => {
    const bars = barsOf(comparison)
    const drawn = panel(comparison, bars, top, layout)
    top += bars.length === 0 ? 0 : TITLE_HEIGHT + bars.length * rowHeight(layout) + 14
    return drawn
  })
  return svg(layout.width, top, `Benchmarks: ${group}`, panels.join(''))
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

function rowHeight({ nameHeight }: Layout): number {
  return nameHeight + BAR_HEIGHT + 4
}

function panel(
  { name, metrics: [metric] }: ComparisonResult,
  bars: readonly Bar[],
  top: number,
  layout: Layout,
): string {
  const { left, barWidth, nameHeight } = layout
  if (metric === undefined || bars.length === 0) return ''
  const max = Math.max(Number.MIN_VALUE, ...bars.map(({ value }) => value))
  const drawn = bars.map((bar, at) => {
    const y = top + TITLE_HEIGHT + at * rowHeight(layout) + nameHeight
    // A difference can be negative.
    const width = (barWidth * Math.max(0, bar.value)) / max
    const middle = y + BAR_HEIGHT - 5
    return (
      (nameHeight > 0 ? text(left, y - 5, bar.name) : text(left - 8, middle, bar.name, 'end')) +
      `<rect class="${isFw(bar.name) ? 'own' : 'peer'}" x="${left}" y="${y}" width="${width.toFixed(1)}" height="${BAR_HEIGHT}" rx="2"/>\n` +
      text(left + width + 8, middle, formatMetric(metric, bar.value))
    )
  })
  const { title, better } = METRICS[metric]
  return text(8, top + 22, `${name}: ${title} (${better} is better)`, 'start', 'title') + drawn.join('')
}

function isFw(name: string): boolean {
  return name === 'fw' || name.startsWith('fw ')
}
