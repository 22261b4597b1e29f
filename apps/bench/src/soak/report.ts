import { svg, text } from '../report/svg.ts'
import { markdownTable } from '../report/table.ts'
import { SERIES, type SeriesKey } from './growth.ts'
import type { Sample } from './sample.ts'
import type { SoakResult } from './soak.ts'

const WIDTH = 720
const LEFT = 60
const PLOT_WIDTH = WIDTH - LEFT - 20
const PLOT_HEIGHT = 90
const PANEL_HEIGHT = PLOT_HEIGHT + 50

/** Returns a table of the early and late medians, and marks growth. */
export function soakMarkdown({ date, machine, minutes, requests, growth }: SoakResult): string {
  const rows = Object.entries(SERIES).map(([key, title]) => {
    const { early, late, grows } = growth[key as SeriesKey]
    return [title, early.toFixed(1), late.toFixed(1), grows ? '**grows**' : 'no']
  })
  const duration = minutes === 1 ? 'a minute' : `${minutes} minutes`
  return (
    `${date.slice(0, 10)}; ${machine}. ${requests.toLocaleString('en')} requests in ${duration}, alternating between all ` +
    `HTTP/1.1 scenarios without TLS. Medians of the second and the last quarter.\n\n` +
    markdownTable(['', 'early', 'late', 'growth'], rows)
  )
}

/** Draws each series over time in a separate panel, with the axis at zero. */
export function soakChart({ samples }: SoakResult): string {
  const panels = Object.entries(SERIES).map(([key, title], at) =>
    panel(samples, key as SeriesKey, title, 8 + at * PANEL_HEIGHT),
  )
  return svg(WIDTH, 8 + panels.length * PANEL_HEIGHT, 'Benchmarks: soak', panels.join(''))
}

function panel(samples: readonly Sample[], key: SeriesKey, title: string, top: number): string {
  const max = Math.max(1, ...samples.map((sample) => sample[key]))
  const seconds = Math.max(1, ...samples.map((sample) => sample.seconds))
  const bottom = top + 24 + PLOT_HEIGHT
  const points = samples.map((sample) => {
    const x = LEFT + (PLOT_WIDTH * sample.seconds) / seconds
    return `${x.toFixed(1)},${(bottom - (PLOT_HEIGHT * sample[key]) / max).toFixed(1)}`
  })
  return (
    text(8, top + 14, title, 'start', 'title') +
    text(LEFT - 8, top + 32, max.toFixed(0), 'end') +
    text(LEFT - 8, bottom, '0', 'end') +
    text(LEFT + PLOT_WIDTH, bottom + 16, `${seconds.toFixed(0)} s`, 'end') +
    `<line class="axis" x1="${LEFT}" y1="${bottom}" x2="${LEFT + PLOT_WIDTH}" y2="${bottom}"/>\n` +
    `<polyline class="line" points="${points.join(' ')}"/>\n`
  )
}
