import type { Measurement } from './comparison.ts'
import type { Rounds } from './targets.ts'

/**
 * Adds `addedMicros` to each round: the CPU time of the candidate minus that of its base in the same round.
 *
 * @param bases Name of the base, by candidate
 */
export function withDifferences(rounds: Rounds, bases: Readonly<Record<string, string>>): Rounds {
  return new Map(Array.from(rounds, ([name, own]) => [name, own.map((round, at) => withDifference(name, round, at))]))

  function withDifference(name: string, round: Measurement, at: number): Measurement {
    const base = rounds.get(bases[name] ?? '')?.[at]?.cpuMicros
    if (base === undefined || round.cpuMicros === undefined) return round
    return { ...round, addedMicros: round.cpuMicros - base }
  }
}
