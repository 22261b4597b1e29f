import type { Candidate, Comparison, Measurement } from './comparison.ts'
import { withDifferences } from './differences.ts'
import type { Run } from './run.ts'

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
}

/**
 * Measures the candidates in turn, A B C A B C …, so that what else the machine does falls on all alike; or, where they
 * mostly wait, all of a round at once.
 *
 * One that fails in any round is reported with the reason, and its figures are left out.
 *
 * @param onRound Is told of every candidate before its turn
 */
export async function runComparison(
  comparison: Comparison,
  run: Run,
  onRound: (name: string, round: number) => void = () => {},
): Promise<Measured> {
  const rounds = new Map<string, Measurement[]>()
  const unmeasured: Unmeasured[] = []
  for (const { name, missing } of comparison.candidates) {
    if (missing === undefined) rounds.set(name, [])
    else unmeasured.push({ name, reason: missing })
  }
  for (let round = 0; round < run.rounds; round++) {
    const turns = comparison.candidates.map((candidate) => () => takeTurn(candidate, round))
    if (comparison.isIdle === true) await Promise.all(turns.map((take) => take()))
    else for (const take of turns) await take()
  }
  return { comparison, rounds: withDifferences(rounds, comparison.bases ?? {}), unmeasured }

  async function takeTurn(candidate: Candidate, round: number): Promise<void> {
    const { name } = candidate
    const own = rounds.get(name)
    if (own === undefined) return
    onRound(name, round)
    try {
      own.push(await candidate.measure(run))
    } catch (error) {
      rounds.delete(name)
      unmeasured.push({ name, reason: error instanceof Error ? error.message : String(error) })
    }
  }
}
