import type { MetricKey } from './metrics.ts'
import type { Run } from './run.ts'
import type { Target } from './targets.ts'
import type { Turns } from './turns.ts'

/** What one round of one candidate brought. */
export type Measurement = Readonly<Partial<Record<MetricKey, number>>>

/** Something that is measured: a server, a logger, a router. */
export interface Candidate {
  readonly name: string
  /** Why it cannot be measured on this machine; it is named in the table then, with that reason. */
  readonly missing?: string | undefined
  /**
   * One round: starts it, checks that it does what it should, warms it up, measures it, and ends it.
   *
   * @param turns Those to measure in, where the candidates of a round run together
   * @throws {Error} if it does not do what it should; nothing that it brought counts then
   */
  measure(run: Run, turns?: Turns): Promise<Measurement>
}

/** Candidates that do the same work, side by side. */
export interface Comparison {
  /** Short, for `--scenario` and for files. */
  readonly name: string
  /** What is done and how, for readers of the table. */
  readonly title: string
  /** The candidate that ratios refer to. */
  readonly reference: string
  readonly candidates: readonly Candidate[]
  /** Columns of the table; the first is the one that is drawn. */
  readonly metrics: readonly MetricKey[]
  readonly targets: readonly Target[]
  /** The same without what is measured, by candidate; `addedMicros` is the difference. */
  readonly bases?: Readonly<Record<string, string>>
  /** How the candidates of a round run at the same time, if they do: all of them waiting, or measured in turns. */
  readonly together?: 'waiting' | 'in turns'
}
