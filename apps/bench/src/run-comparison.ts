import { leastDisturbed, watchStolenTime } from '@fw/testing/stolen-time'
import type { Candidate, Comparison, Measurement } from './comparison.ts'
import { withDifferences } from './differences.ts'
import type { Run } from './run.ts'
import { Turns } from './turns.ts'

/** A candidate that brought no figures, and why. */
export interface Unmeasured {
  readonly name: string
  readonly reason: string
}

/** All rounds of a comparison. */
export interface Measured {
  readonly comparison: Comparison
  readonly rounds: ReadonlyMap<string, readonly Measurement[]>
  readonly unmeasured: readonly Unmeasured[]
  readonly disturbance: Disturbance
}

/** What others on the host of the machine did meanwhile. */
export interface Disturbance {
  /** The most that they had of the processors in a turn that counts, from 0 to 1. */
  readonly stolenShare: number
  /** Turns that were taken again because they had more. */
  readonly repeatedTurns: number
}

export interface ComparisonOptions {
  /** Is told of every candidate before its turn. */
  readonly onRound?: (name: string, round: number) => void
  /** How often a turn is taken at most; 1 for those that find their own quiet moments. */
  readonly mostTurns?: number
  /** Tells the share of the processors that others have. */
  readonly watch?: typeof watchStolenTime
}

/**
 * Measures the candidates in turn, A B C A B C …, so that what else the machine does falls on all alike. Those that run
 * together do so within each round too.
 *
 * One that fails in any round is reported with the reason, and its figures are left out. A turn in which others on the host
 * of the machine had much of the processors may be taken again.
 */
// docs/decisions/0090
export async function runComparison(
  comparison: Comparison,
  run: Run,
  { onRound, mostTurns = 1, watch = watchStolenTime }: ComparisonOptions = {},
): Promise<Measured> {
  const rounds = new Map<string, Measurement[]>()
  const unmeasured: Unmeasured[] = []
  const disturbance = { stolenShare: 0, repeatedTurns: 0 }
  for (const { name, missing } of comparison.candidates) {
    if (missing === undefined) rounds.set(name, [])
    else unmeasured.push({ name, reason: missing })
  }
  for (let round = 0; round < run.rounds; round++) {
    const { candidates, together } = comparison
    if (together === 'waiting') {
      // Who waits beside others must not begin again alone.
      await Promise.all(candidates.map((each) => runRound(each, round, () => undisturbed(() => each.measure(run), 1))))
    } else if (together === 'in turns') {
      const turns = new Turns(undisturbed)
      // Nobody always follows the same one.
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

  async function undisturbed<Result>(work: () => Promise<Result>, most = mostTurns): Promise<Result> {
    const { result, stolenShare, turns } = await leastDisturbed(work, most, watch)
    disturbance.stolenShare = Math.max(disturbance.stolenShare, stolenShare)
    disturbance.repeatedTurns += turns - 1
    return result
  }
}
