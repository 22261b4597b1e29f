import { formatMetric, type MetricKey } from './metrics.ts'
import { median, medianRatio } from './statistics.ts'
import type { Measurement } from './comparison.ts'

/** A figure that a candidate has to reach, by itself or in relation to another. */
export interface Target {
  readonly of: string
  readonly metric: MetricKey
  /** The figure is divided by that of this candidate. */
  readonly to?: string
  readonly atLeast?: number
  readonly atMost?: number
}

/** What became of a target. */
export interface TargetResult {
  readonly target: Target
  readonly value: number
  readonly isMet: boolean
}

/** All rounds of each candidate, by name. */
export type Rounds = ReadonlyMap<string, readonly Measurement[]>

/** @returns `undefined` if a candidate that it speaks of was not measured */
export function checkTarget(target: Target, rounds: Rounds): TargetResult | undefined {
  const value = valueOf(target, rounds)
  if (Number.isNaN(value)) return undefined
  const { atLeast = -Infinity, atMost = Infinity } = target
  return { target, value, isMet: value >= atLeast && value <= atMost }
}

/** Values of one metric, round by round. */
export function valuesOf(rounds: Rounds, name: string, metric: MetricKey): readonly number[] {
  return (rounds.get(name) ?? []).map((round) => round[metric] ?? Number.NaN)
}

function valueOf({ of, metric, to }: Target, rounds: Rounds): number {
  const values = valuesOf(rounds, of, metric)
  return to === undefined ? median(values) : medianRatio(values, valuesOf(rounds, to, metric))
}

/** Such as `≥ 1.45 × node-http`. */
export function describeLimit({ metric, to, atLeast, atMost }: Target): string {
  const limit = atLeast ?? atMost ?? Number.NaN
  return `${atLeast === undefined ? '≤' : '≥'} ${to === undefined ? formatMetric(metric, limit) : `${limit} × ${to}`}`
}
