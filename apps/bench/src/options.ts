import { parseArgs } from 'node:util'
import type { Comparison } from './comparison.ts'

/** What the command line asks for. */
export interface BenchOptions {
  /** All if none is named. */
  readonly groups: readonly string[]
  readonly isQuick: boolean
  readonly isJson: boolean
  readonly rounds: number
  readonly seconds: number
  readonly warmUpSeconds: number
  /** Names of comparisons; all if empty. */
  readonly scenarios: readonly string[]
  /** Names of candidates; all if empty. */
  readonly only: readonly string[]
  readonly minutes: number
}

export const USAGE = `pnpm bench [group …] [options]

  --quick              one round of one second; nothing is kept
  --json               print the results as JSON
  --scenario a,b       only these scenarios
  --only a,b           only these candidates; nothing is kept
  --rounds n           rounds of each candidate, 5 by default
  --seconds n          load of each round, 3 by default
  --minutes n          length of the group soak, 10 by default
`

/** @throws {TypeError} for an option that does not exist, or a number that is none */
export function readOptions(words: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      scenario: { type: 'string', default: '' },
      only: { type: 'string', default: '' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      minutes: { type: 'string', default: '10' },
    },
  })
  const { quick } = values
  return {
    groups: positionals,
    isQuick: quick,
    isJson: values.json,
    rounds: wholeNumber('--rounds', values.rounds ?? (quick ? '1' : '5')),
    seconds: wholeNumber('--seconds', values.seconds ?? (quick ? '1' : '3')),
    // On one processor V8 compiles for some four seconds beside the requests; a server has hours.
    warmUpSeconds: quick ? 1 : 4,
    scenarios: listOf(values.scenario),
    only: listOf(values.only),
    minutes: wholeNumber('--minutes', values.minutes),
  }
}

/**
 * The comparisons that are asked for, with the candidates that are asked for.
 *
 * @throws {TypeError} if a name is that of nothing
 */
export function select(comparisons: readonly Comparison[], { scenarios, only }: BenchOptions): readonly Comparison[] {
  checkNames('scenario', scenarios, comparisons)
  checkNames(
    'candidate',
    only,
    comparisons.flatMap(({ candidates }) => candidates),
  )
  return comparisons
    .filter(({ name }) => isWanted(scenarios, name))
    .map((comparison) => withCandidates(comparison, only))
}

/** No names are all names. */
function isWanted(names: readonly string[], name: string): boolean {
  return names.length === 0 || names.includes(name)
}

function withCandidates(comparison: Comparison, only: readonly string[]): Comparison {
  return { ...comparison, candidates: comparison.candidates.filter(({ name }) => isWanted(only, name)) }
}

function checkNames(what: string, names: readonly string[], known: readonly { readonly name: string }[]): void {
  const unknown = names.find((name) => known.every((each) => each.name !== name))
  if (unknown === undefined) return
  const list = [...new Set(known.map(({ name }) => name))].join(', ')
  throw new TypeError(`There is no ${what} ${unknown}; there are ${list}`)
}

function listOf(value: string): readonly string[] {
  return value.split(',').filter(Boolean)
}

function wholeNumber(option: string, value: string): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 1)
    throw new TypeError(`${option} is ${value}; it takes a whole number from 1`)
  return number
}
