import { availableParallelism, cpus, release } from 'node:os'
import { isPinned } from '../cpus.ts'
import type { MetricKey } from '../metrics.ts'
import type { Disturbance, Measured, Unmeasured } from '../run-comparison.ts'
import { medianRatio, summarize, type Summary } from '../statistics.ts'
import { checkTarget, valuesOf, type TargetResult } from '../targets.ts'

/** Figure of a candidate, and its ratio to the reference. */
export interface Figure extends Summary {
  readonly ratio: number
}

/** Figures of a candidate. */
export interface Row {
  readonly name: string
  readonly figures: Readonly<Partial<Record<MetricKey, Figure>>>
}

/** Result of a comparison, as stored in `results/<group>.json`. */
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

/** Results of all comparisons in a group. */
export interface GroupResult {
  readonly group: string
  /** ISO 8601, UTC. */
  readonly date: string
  readonly machine: string
  readonly rounds: number
  /** Seconds of load per round; `undefined` if the work determines the length of a round. */
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

/** Describes the runtime, the system, the CPUs and the pinning. */
export function describeMachine(): string {
  const pinning = isPinned()
    ? 'server and load generator pinned to one CPU each'
    : 'server and load generator not pinned'
  const processor = cpus()[0]?.model.trim() ?? 'unknown CPU'
  return `Node ${process.version}, Linux ${release()}, ${availableParallelism()} × ${processor}, ${pinning}`
}
