import { parseArgs } from 'node:util'
import type { Comparison } from './comparison.ts'

/** Command-line options. */
export interface BenchOptions {
  /** Names of groups; empty for all. */
  readonly groups: readonly string[]
  readonly isQuick: boolean
  readonly isJson: boolean
  readonly rounds: number
  readonly seconds: number
  readonly warmUpSeconds: number
  /** Names of comparisons; empty for all. */
  readonly scenarios: readonly string[]
  /** Names of candidates; empty for all. */
  readonly only: readonly string[]
  readonly minutes: number
}

export const USAGE = `pnpm bench [group …] [options]

  --quick              run one round of one second; do not publish the results
  --json               print the results as JSON
  --scenario a,b       run only these scenarios; do not publish the results
  --only a,b           measure only these candidates; do not publish the results
  --rounds n           rounds per candidate (default 5)
  --seconds n          seconds of load per round (default 3)
  --minutes n          minutes of the soak group (default 10)
`

/** Parses the command line. @throws {TypeError} if an option is unknown or a value is not a whole number */
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
    // On one CPU, V8 compiles the server's code during the first four seconds of load.
    warmUpSeconds: quick ? 1 : 4,
    scenarios: listOf(values.scenario),
    only: listOf(values.only),
    minutes: wholeNumber('--minutes', values.minutes),
  }
}

/**
 * Returns the selected comparisons with the selected candidates.
 *
 * @throws {TypeError} if a name is unknown
 */
export function select(comparisons: readonly Comparison[], { scenarios, only }: BenchOptions): readonly Comparison[] {
  checkNames('scenario', scenarios, comparisons)
  checkNames(
    'candidate',
    only,
    comparisons.flatMap(({ candidates }) => candidates),
  )
  return comparisons
    .filter(({ name }) => isSelected(scenarios, name))
    .map((comparison) => withCandidates(comparison, only))
}

/** Reports whether `name` is selected. An empty list selects every name. */
function isSelected(names: readonly string[], name: string): boolean {
  return names.length === 0 || names.includes(name)
}

function withCandidates(comparison: Comparison, only: readonly string[]): Comparison {
  return { ...comparison, candidates: comparison.candidates.filter(({ name }) => isSelected(only, name)) }
}

function checkNames(what: string, names: readonly string[], known: readonly { readonly name: string }[]): void {
  const unknown = names.find((name) => known.every((each) => each.name !== name))
  if (unknown === undefined) return
  const list = [...new Set(known.map(({ name }) => name))].join(', ')
  throw new TypeError(`Unknown ${what} ${unknown}. Known: ${list}`)
}

function listOf(value: string): readonly string[] {
  return value.split(',').filter(Boolean)
}

function wholeNumber(option: string, value: string): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 1)
    throw new TypeError(`bench: option "${option}" must be a whole number from 1, got ${value}.`)
  return number
}
