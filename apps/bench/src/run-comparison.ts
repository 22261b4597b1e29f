import { leastDisturbed, watchStolenTime } from '@fw/testing/stolen-time'
import type { Candidate, Comparison, Measurement } from './comparison.ts'
import { withDifferences } from './differences.ts'
import type { Run } from './run.ts'
import { Turns } from './turns.ts'

/** Candidate without figures. */
export interface Unmeasured {
  readonly name: string
  readonly reason: string
}

/** Figures from all rounds of a comparison. */
export interface Measured {
  readonly comparison: Comparison
  readonly rounds: ReadonlyMap<string, readonly Measurement[]>
  readonly unmeasured: readonly Unmeasured[]
  readonly disturbance: Disturbance
}

/** Effect of other virtual machines on the same host. */
export interface Disturbance {
  /** Maximum share of stolen CPU time in the counted turns, from 0 to 1. */
  readonly stolenShare: number
  /** Number of repeated turns. */
  readonly repeatedTurns: number
}

export interface ComparisonOptions {
  /** Called before each round of a candidate. */
  readonly onRound?: (name: string, round: number) => void
  /**
   * Maximum number of attempts for a disturbed turn. Default 1, for candidates that exclude disturbed measurements
   * themselves.
   */
  readonly maxTurns?: number
  /** Measures the share of stolen CPU time. Tests replace it. */
  readonly watch?: typeof watchStolenTime
}

/**
 * Measures the candidates in alternation, A B C A B C …, so that other load on the machine affects all of them alike.
 * Concurrent candidates also alternate within each round.
 *
 * If a candidate fails in any round, the result contains the reason instead of its figures. A turn is repeated if other virtual
 * machines on the host disturb it.
 */
// docs/decisions/0090
export async function runComparison(
  comparison: Comparison,
  run: Run,
  { onRound, maxTurns = 1, watch = watchStolenTime }: ComparisonOptions = {},
): Promise<Measured> {
  const rounds = new Map<string, Measurement[]>()
  const unmeasured: Unmeasured[] = []
  const disturbance = { stolenShare: 0, repeatedTurns: 0 }
  for (const { name, missing } of comparison.candidates) {
    if (missing === undefined) rounds.set(name, [])
    else unmeasured.push({ name, reason: missing })
  }
  for (let round = 0; round < run.rounds; round++) {
    const { candidates, concurrency } = comparison
    if (concurrency === 'parallel') {
      // Do not repeat a measurement, because the candidate would then run without the others.
      await Promise.all(candidates.map((each) => runRound(each, round, () => undisturbed(() => each.measure(run), 1))))
    } else if (concurrency === 'alternating') {
      const turns = new Turns(undisturbed)
      // Reverse every other round, so that no candidate always runs after the same one.
      const order = round % 2 === 0 ? candidates : candidates.toReversed()
      await Promise.all(order.map((each) => runRound(each, round, () => each.measure(run, turns))))
    } else {
      for (const each of candidates) await runRound(each, round, () => undisturbed(() => each.measure(run)))
    }
  }
  return { comparison, rounds: withDifferences(rounds, comparison.bases ?? {}), unmeasured, disturbance }

  async function runRound({ name }: Candidate, round: number, measure: () => Promise<Measurement>): Promise<void> {
    const own = rounds.get(name)
    if (own === undefined) return
    onRound?.(name, round)
    try {
      own.push(await measure())
    } catch (error) {
      rounds.delete(name)
      unmeasured.push({ name, reason: error instanceof Error ? error.message : String(error) })
    }
  }

  async function undisturbed<Result>(work: () => Promise<Result>, attempts = maxTurns): Promise<Result> {
    const { result, stolenShare, turns } = await leastDisturbed(work, attempts, watch)
    disturbance.stolenShare = Math.max(disturbance.stolenShare, stolenShare)
    disturbance.repeatedTurns += turns - 1
    return result
  }
}
