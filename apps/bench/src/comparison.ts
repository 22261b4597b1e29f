import type { MetricKey } from './metrics.ts'
import type { Run } from './run.ts'
import type { Target } from './targets.ts'
import type { Turns } from './turns.ts'

/** Figures of one candidate in one round. */
export type Measurement = Readonly<Partial<Record<MetricKey, number>>>

/** Server, logger or router to measure. */
export interface Candidate {
  readonly name: string
  /** Reason why the candidate cannot be measured on this machine. The report states the reason. */
  readonly missing?: string | undefined
  /**
   * Runs one round: starts the candidate, checks its output, warms it up, measures it and stops it.
   *
   * @param turns Present if the candidates of a round run concurrently; measure only in these turns
   * @throws {Error} if the output is wrong; the report then omits the candidate's figures
   */
  measure(run: Run, turns?: Turns): Promise<Measurement>
}

/** Measurement of several candidates that do the same work. */
export interface Comparison {
  /** Name for `--scenario` and for the report. */
  readonly name: string
  /** Description of the work, printed above the table. */
  readonly title: string
  /** Name of the candidate to which ratios refer. */
  readonly reference: string
  readonly candidates: readonly Candidate[]
  /** Columns of the table. The chart shows the first one. */
  readonly metrics: readonly MetricKey[]
  readonly targets: readonly Target[]
  /** Baseline of each candidate, by candidate name; `addedMicros` is the difference in CPU time. */
  readonly bases?: Readonly<Record<string, string>>
  /**
   * How the candidates of a round run concurrently. `parallel`: they only wait, so they do not disturb each other.
   * `alternating`: they measure in `Turns`, one at a time. Default: the candidates run one after another.
   */
  readonly concurrency?: 'parallel' | 'alternating'
}
