import { randomInt } from 'node:crypto'
import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { writeCorpusFile } from './corpus.ts'
import { hunt } from './hunt.ts'
import { describeFinding } from './report.ts'
import { findTargets, loadTarget, type TargetFile } from './target.ts'

const USAGE = `Usage: pnpm fuzz [target...] [--seconds N] [--seed N]
       pnpm fuzz --list

  target       name of a target, by default every target
  --seconds N  time for each target, by default 10
  --seed N     seed of the first input, by default a fresh one
  --list       lists the targets`
const DEFAULT_SECONDS = '10'

/** A command with every default filled in. */
interface Command {
  readonly targets: readonly TargetFile[]
  readonly seconds: number
  readonly seed: number
  readonly isList: boolean
}

/** The environment in which a command runs. */
export interface CommandHost {
  /** The folder with `packages/`. */
  readonly root: string
  readonly print: (line: string) => void
}

class UsageError extends Error {}

/**
 * Runs `pnpm fuzz`.
 *
 * @param args The arguments after `pnpm fuzz`
 * @returns The exit code: 1 with a finding, 2 for incorrect usage
 */
export async function runFuzzCommand(args: readonly string[], host: CommandHost): Promise<number> {
  let command
  try {
    command = readCommand(args, host.root)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    host.print(`${error.message}\n\n${USAGE}`)
    return 2
  }
  if (command.isList) {
    await list(command.targets, host)
    return 0
  }
  let exitCode = 0
  for (const target of command.targets) if (await fuzz(target, command, host)) exitCode = 1
  return exitCode
}

function readCommand(args: readonly string[], root: string): Command {
  const { values, positionals } = parse(args)
  const known = findTargets(root)
  const targets = positionals.map((name) => {
    const target = known.find((each) => each.name === name)
    if (target === undefined) {
      const names = known.map((each) => each.name).join(', ')
      throw new UsageError(`pnpm fuzz: target must be one of ${names}, got ${JSON.stringify(name)}.`)
    }
    return target
  })
  return {
    targets: targets.length > 0 ? targets : known,
    seconds: readNumber('seconds', values.seconds ?? DEFAULT_SECONDS),
    seed: values.seed === undefined ? randomInt(2 ** 31) : readNumber('seed', values.seed),
    isList: values.list ?? false,
  }
}

function parse(args: readonly string[]): {
  values: { seconds?: string; seed?: string; list?: boolean }
  positionals: string[]
} {
  const options = { seconds: { type: 'string' }, seed: { type: 'string' }, list: { type: 'boolean' } } as const
  try {
    return parseArgs({ args: args.filter((arg) => arg !== '--'), options, allowPositionals: true })
  } catch (error) {
    // After the first sentence, Node.js explains its own syntax.
    throw new UsageError(`pnpm fuzz: ${(error as Error).message.split('. ')[0] ?? ''}.`)
  }
}

function readNumber(name: string, text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text)
  throw new UsageError(`pnpm fuzz: --${name} must be an integer of at least 0, got ${JSON.stringify(text)}.`)
}

async function list(targets: readonly TargetFile[], { print }: CommandHost): Promise<void> {
  const width = Math.max(...targets.map(({ name }) => name.length))
  for (const { name, path } of targets) print(`${name.padEnd(width)}  ${(await loadTarget(path)).parser}`)
}

/** @returns Whether there was a finding */
async function fuzz(target: TargetFile, { seconds, seed }: Command, { print, root }: CommandHost): Promise<boolean> {
  const { name, corpus } = target
  print(`${name}: ${seconds} s from seed ${seed}`)
  const { inputs, durationMs, finding } = await hunt({ target, seed, seconds })
  const rate = Math.round(inputs / Math.max(durationMs / 1000, 0.001))
  print(`${name}: ${inputs} inputs in ${(durationMs / 1000).toFixed(1)} s, ${rate} per second`)
  if (finding === undefined) return false
  const [found = ''] = finding.text.split('\n')
  const file = writeCorpusFile(corpus, { found, input: finding.input })
  print(describeFinding(name, finding, relative(root, file)))
  return true
}
