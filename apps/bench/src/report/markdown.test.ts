import { describe, expect, it } from 'vitest'
import type { Candidate } from '../comparison.ts'
import type { Run } from '../run.ts'
import { runComparison } from '../run-comparison.ts'
import { barChart } from './bar-chart.ts'
import { comparisonMarkdown } from './markdown.ts'
import { replaceSection } from './publish.ts'
import { comparisonResult, groupResult, type ComparisonResult } from './result.ts'

const RUN: Run = {
  rounds: 1,
  seconds: 1,
  warmUpSeconds: 1,
  isQuick: true,
  folder: '',
  certificate: { keyFile: '', certFile: '' },
}

function candidate(name: string, rate: number): Candidate {
  return { name, measure: () => Promise.resolve({ rate }) }
}

function measured(): Promise<ComparisonResult> {
  const comparison = {
    name: 'hello',
    title: 'GET <b>',
    reference: 'peer',
    metrics: ['rate'] as const,
    targets: [
      { of: 'fw', metric: 'rate', to: 'peer', atLeast: 1.4 },
      { of: 'fw', metric: 'rate', to: 'peer', atLeast: 1.6 },
    ] as const,
    candidates: [
      candidate('fw', 150_000),
      candidate('peer', 100_000),
      { ...candidate('nginx', 1), missing: 'nginx is not installed' },
    ],
  }
  return runComparison(comparison, RUN).then(comparisonResult)
}

describe('comparisonMarkdown', () => {
  it('shows ratios, missed targets and unmeasured candidates', async () => {
    expect(comparisonMarkdown(await measured()).split('\n')).toEqual([
      '**hello**: GET <b>.',
      '',
      '|      | requests/s | ÷ peer | min – max         | target                                             |',
      '| ---- | ---------- | ------ | ----------------- | -------------------------------------------------- |',
      '| fw   | 150,000    | 1.50   | 150,000 – 150,000 | ≥ 1.4 × peer: 1.50; ≥ 1.6 × peer: **missed, 1.50** |',
      '| peer | 100,000    | 1.00   | 100,000 – 100,000 |                                                    |',
      '',
      'Not measured: nginx (nginx is not installed).',
      '',
    ])
  })
})

describe('barChart', () => {
  it('draws all bars, with colors for light and dark pages', async () => {
    const chart = barChart(groupResult('http1', RUN, [await measured()]))
    expect(chart).toContain('prefers-color-scheme: dark')
    expect(chart.match(/<rect /g)).toHaveLength(3)
    expect(chart).not.toMatch(/NaN|undefined|Infinity/)
  })

  it('draws a narrow chart for phones, with the names above the bars', async () => {
    const result = groupResult('http1', RUN, [await measured()])
    const [wide, narrow] = [barChart(result), barChart(result, 'narrow')]
    expect(narrow).toContain('width="360"')
    expect(narrow.match(/<rect /g)).toHaveLength(3)
    expect(wide).toContain('text-anchor="end"')
    expect(narrow).not.toContain('text-anchor="end"')
  })
})

describe('replaceSection', () => {
  it('replaces the text between the markers of a group and keeps the rest', () => {
    const page = '# A\n<!-- a -->old<!-- /a -->\n<!-- b -->other<!-- /b -->\n'
    const replaced = replaceSection(page, 'a', 'new\n')
    expect(replaced).toBe(
      '# A\n<!-- a -->\n\n![a](benchmarks/a.svg)\n\nnew\n\n<!-- /a -->\n<!-- b -->other<!-- /b -->\n',
    )
    expect(replaceSection(replaced, 'a', 'new\n')).toBe(replaced)
  })

  it('throws if the markers are missing', () => {
    expect(() => replaceSection('# A\n', 'a', 'new')).toThrow('must contain the markers <!-- a -->')
  })
})
