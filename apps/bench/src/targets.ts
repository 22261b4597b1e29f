import { formatMetric, type MetricKey } from './metrics.ts'
import { median, medianRatio } from './statistics.ts'
import type { Measurement } from './comparison.ts'

/** Limit for a figure of a candidate, absolute or relative to another candidate. */
export interface Target {
  readonly of: string
  readonly metric: MetricKey
  /** Candidate whose figure is the divisor for the figure of `of`. */
  readonly to?: string
  readonly atLeast?: number
  readonly atMost?: number
}

/** Result of checking a target. */
export interface TargetResult {
  readonly target: Target
  readonly value: number
  readonly isMet: boolean
}

/** Figures of all rounds by candidate. */
export type Rounds = ReadonlyMap<string, readonly Measurement[]>

/** Checks a target. @returns `undefined` if one of its candidates was not measured */
export function checkTarget(target: Target, rounds: Rounds): TargetResult | undefined {
  const value = valueOf(target, rounds)
  if (Number.isNaN(value)) return undefined
  const { atLeast = -Infinity, atMost = Infinity } = target
  return { target, value, isMet: value >= atLeast && value <= atMost }
}

/** Returns the values of one metric, one per round. */
export function valuesOf(rounds: Rounds, name: string, metric: MetricKey): readonly number[] {
  return (rounds.get(name) ?? []).map((round) => round[metric] ?? Number.NaN)
}

function valueOf({ of, metric, to }: Target, rounds: Rounds): number {
  const values = valuesOf(rounds, of, metric)
  return to === undefined ? median(values) : medianRatio(values, valuesOf(rounds, to, metric))
}

/** Formats the limit, such as `≥ 1.45 × node-http`. */
export function describeLimit({ metric, to, atLeast, atMost }: Target): string {
  const limit = atLeast ?? atMost ?? Number.NaN
  return `${atLeast === undefined ? '≤' : '≥'} ${to === undefined ? formatMetric(metric, limit) : `${limit} × ${to}`}`
}
