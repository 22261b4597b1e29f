import { availableParallelism, cpus, release } from 'node:os'
import { isPinned } from '../processors.ts'
import type { MetricKey } from '../metrics.ts'
import type { Disturbance, Measured, Unmeasured } from '../run-comparison.ts'
import { medianRatio, summarize, type Summary } from '../statistics.ts'
import { checkTarget, valuesOf, type TargetResult } from '../targets.ts'

/** A figure of a candidate, with its relation to that of the reference. */
export interface Figure extends Summary {
  readonly ratio: number
}

/** What a candidate came to. */
export interface Row {
  readonly name: string
  readonly figures: Readonly<Partial<Record<MetricKey, Figure>>>
}

/** What a comparison came to; this is what is kept as JSON. */
export interface ComparisonResult {
  readonly name: string
  readonly title: string
  readonly reference: string
  readonly metrics: readonly MetricKey[]
  readonly rows: readonly Row[]
  readonly unmeasured: readonly Unmeasured[]
  readonly targets: readonly TargetResult[]
  readonly disturbance: Disturbance
}

/** All comparisons of a group in one run. */
export interface GroupResult {
  readonly group: string
  /** ISO 8601, UTC. */
  readonly date: string
  readonly machine: string
  readonly rounds: number
  /** Load of a round; `undefined` where a round is as long as its work takes. */
  readonly seconds: number | undefined
  readonly comparisons: readonly ComparisonResult[]
}

export function groupResult(
  group: string,
  { rounds, seconds }: Pick<GroupResult, 'rounds' | 'seconds'>,
  comparisons: readonly ComparisonResult[],
): GroupResult {
  return { group, date: new Date().toISOString(), machine: describeMachine(), rounds, seconds, comparisons }
}

export function comparisonResult({ comparison, rounds, unmeasured, disturbance }: Measured): ComparisonResult {
  const { name, title, reference, metrics, targets } = comparison
  const rows = Array.from(rounds.keys(), (candidate) => ({
    name: candidate,
    figures: Object.fromEntries(metrics.map((metric) => [metric, figureOf(metric, candidate)])),
  }))
  return {
    name,
    title,
    reference,
    metrics,
    rows,
    unmeasured,
    targets: targets.map((target) => checkTarget(target, rounds)).filter((result) => result !== undefined),
    disturbance,
  }

  function figureOf(metric: MetricKey, candidate: string): Figure {
    const values = valuesOf(rounds, candidate, metric)
    return { ...summarize(values), ratio: medianRatio(values, valuesOf(rounds, reference, metric)) }
  }
}

/** Runtime, system, processors, and how they are shared. */
export function describeMachine(): string {
  const pinning = isPinned() ? 'server and load on one processor each' : 'server and load not pinned'
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor'
  return `Node ${process.version}, Linux ${release()}, ${availableParallelism()} × ${processor}, ${pinning}`
}
