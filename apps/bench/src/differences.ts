import type { Measurement } from './comparison.ts'
import type { Rounds } from './targets.ts'

/**
 * Adds what each candidate takes above its base, round by round, as `addedMicros`.
 *
 * @param bases The base of each candidate that has one
 */
export function withDifferences(rounds: Rounds, bases: Readonly<Record<string, string>>): Rounds {
  return new Map(Array.from(rounds, ([name, own]) => [name, own.map((round, at) => withDifference(name, round, at))]))

  function withDifference(name: string, round: Measurement, at: number): Measurement {
    const base = rounds.get(bases[name] ?? '')?.[at]?.cpuMicros
    if (base === undefined || round.cpuMicros === undefined) return round
    return { ...round, addedMicros: round.cpuMicros - base }
  }
}
