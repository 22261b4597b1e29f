/** Compares servers, loggers and routers: `pnpm bench [group …] [--quick] [--json]`. See docs/benchmarks.md. */
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from './certificate.ts'
import { GROUPS } from './groups.ts'
import { type BenchOptions, readOptions, select, USAGE } from './options.ts'
import { requirePrograms } from './programs.ts'
import { comparisonMarkdown } from './report/markdown.ts'
import { publish, publishAs } from './report/publish.ts'
import { comparisonResult, groupResult, type ComparisonResult, type GroupResult } from './report/result.ts'
import { runComparison } from './run-comparison.ts'
import type { Run } from './run.ts'
import { soakChart, soakMarkdown } from './soak/report.ts'
import { soak, type SoakResult } from './soak/soak.ts'

/** Group without candidates, which runs only if the command line names it. */
const SOAK = 'soak'

// `process.exit` runs the exit handlers, which stop the servers. The default exit on a signal would not.
process.on('SIGINT', () => process.exit(130))
process.on('SIGTERM', () => process.exit(143))

try {
  const options = readOptions(process.argv.slice(2))
  const results = await benchmark(options)
  if (options.isJson) process.stdout.write(`${JSON.stringify(results, undefined, 2)}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  if (error instanceof TypeError) process.stderr.write(`\n${USAGE}`)
  process.exitCode = 1
}

async function benchmark(options: BenchOptions): Promise<readonly object[]> {
  if (process.platform !== 'linux') throw new Error('The benchmarks need Linux, because they read /proc.')
  const { rounds, seconds, warmUpSeconds, isQuick } = options
  const folder = await mkdtemp(join(tmpdir(), 'fw-bench-'))
  // Also runs after an interrupt.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const run: Run = { rounds, seconds, warmUpSeconds, isQuick, folder, certificate: await makeCertificate(folder) }
  const results: object[] = []
  for (const name of options.groups.length === 0 ? Object.keys(GROUPS) : options.groups) {
    results.push(name === SOAK ? await runSoak(run, options) : await runGroup(name, run, options))
  }
  return results
}

async function runGroup(name: string, run: Run, options: BenchOptions): Promise<GroupResult> {
  const group = GROUPS[name]
  if (group === undefined)
    throw new TypeError(`Unknown group ${name}. Groups: ${[...Object.keys(GROUPS), SOAK].join(', ')}`)
  requirePrograms(group.programs)
  const comparisons: ComparisonResult[] = []
  for (const comparison of select(group.comparisons, options)) {
    const onRound = (candidate: string, round: number): void => {
      process.stderr.write(`${name} ${comparison.name}: ${candidate}, round ${round + 1} of ${run.rounds}\n`)
    }
    const { maxTurns } = group
    const result = comparisonResult(await runComparison(comparison, run, { onRound, maxTurns }))
    comparisons.push(result)
    if (!options.isJson) process.stdout.write(`\n${comparisonMarkdown(result)}\n`)
  }
  const result = groupResult(
    name,
    { rounds: run.rounds, seconds: group.isTimed ? run.seconds : undefined },
    comparisons,
  )
  // Do not replace the published figures with a partial or quick measurement.
  if (!options.isQuick && options.only.length === 0 && options.scenarios.length === 0) await publish(result)
  return result
}

async function runSoak(run: Run, { minutes, isQuick, isJson }: BenchOptions): Promise<SoakResult> {
  requirePrograms(['wrk'])
  process.stderr.write(`soak: ${minutes} minutes\n`)
  const result = await soak(run, minutes)
  if (!isJson) process.stdout.write(`\n${soakMarkdown(result)}\n`)
  if (!isQuick) await publishAs(SOAK, result, soakChart(result), soakMarkdown(result))
  return result
}
