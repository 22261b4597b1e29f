import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Candidate, Comparison } from '../comparison.ts'
import type { MetricKey } from '../metrics.ts'
import type { Run } from '../run.ts'
import type { Target } from '../targets.ts'
import { CANDIDATES } from './candidates.ts'
import type { Load } from './load.ts'
import { measureSpdlog, missingSpdlog, SPDLOG_MODES } from './spdlog.ts'

/** One comparison. */
interface Work {
  readonly name: string
  readonly title: string
  readonly what: Load['what']
  readonly metric: MetricKey
  readonly candidates: readonly string[]
  readonly reference: string
  /** Calls, and those of a quick run. */
  readonly calls: readonly [number, number]
  readonly warmUp: number
  readonly targets: readonly Target[]
}

const ALL = [...Object.keys(CANDIDATES), ...Object.keys(SPDLOG_MODES)]
const PLAIN = ALL.filter((name) => !/location|caller|logger/.test(name))
/** Those that differ from others below the threshold alone. */
const BELOW = ['fw child logger', 'fw request logger']
/** Those that make one system call for each record, before the call returns. */
const WRITES_EACH = ['pino sync', 'roarr', 'consola']
const MEASURE = join(import.meta.dirname, 'measure.ts')

const WORKS: readonly Work[] = [
  {
    name: 'call',
    title: 'A call with two arguments, 100 to a turn, in the median turn; written to a file',
    what: 'chunk',
    metric: 'callNs',
    candidates: PLAIN,
    reference: 'pino sync',
    calls: [100_000, 30_000],
    warmUp: 10_000,
    targets: [
      { of: 'fw async', metric: 'callNs', to: 'pino worker', atMost: 0.2 },
      ...WRITES_EACH.map((to) => ({ of: 'fw sync', metric: 'callNs', to, atMost: 0.667 }) as const),
    ],
  },
  {
    name: 'burst',
    title: 'Lines in one go, until all are in the file',
    what: 'burst',
    metric: 'linesRate',
    candidates: PLAIN,
    reference: 'pino worker',
    // Until all is compiled, a burst measures the compiler.
    calls: [300_000, 150_000],
    warmUp: 50_000,
    targets: ['pino sync', 'pino async', 'pino worker', 'roarr', 'consola', 'tslog', 'winston', 'logtape'].map(
      (to) => ({
        of: 'fw async',
        metric: 'linesRate',
        to,
        atLeast: 4,
      }),
    ),
  },
  {
    name: 'location',
    title: 'A call that finds the file and line of its caller',
    what: 'chunk',
    metric: 'callNs',
    candidates: ALL.filter((name) => /location|caller/.test(name)),
    reference: 'pino-caller',
    calls: [60_000, 20_000],
    warmUp: 10_000,
    targets: [{ of: 'fw async, location, marked', metric: 'callNs', to: 'pino-caller', atMost: 0.1 }],
  },
  {
    name: 'disabled',
    title: 'A call below the threshold, without the loop around it, in the quickest of many parts',
    what: 'disabled',
    metric: 'callNs',
    candidates: [...PLAIN.filter((name) => !/async|worker|roarr|flush/.test(name)), ...BELOW],
    reference: 'pino sync',
    calls: [5_000_000, 2_000_000],
    warmUp: 1_000_000,
    targets: [
      ...['fw sync', ...BELOW].map((of) => ({ of, metric: 'callNs', atMost: 3 }) as const),
      ...['pino sync', 'consola', 'tslog', 'winston', 'logtape'].map(
        (to) => ({ of: 'fw sync', metric: 'callNs', to, atMost: 1 }) as const,
      ),
    ],
  },
]

export const LOG_COMPARISONS: readonly Comparison[] = WORKS.map((work) => {
  const { name, title, reference, targets, metric } = work
  const candidates = work.candidates.map((candidate) => candidateOf(candidate, work))
  return { name, title, reference, targets, metrics: [metric], candidates }
})

function candidateOf(name: string, { what, metric, calls: [calls, quickCalls], warmUp }: Work): Candidate {
  return {
    name,
    missing: name in SPDLOG_MODES ? missingSpdlog() : undefined,
    async measure(run) {
      const load: Load = { what, calls: run.isQuick ? quickCalls : calls, warmUp }
      return { [metric]: await measureLogger(name, load, run) }
    },
  }
}

/** Runs one logger in a process of its own, and reads what it wrote. */
async function measureLogger(name: string, load: Load, { folder }: Run): Promise<number> {
  const path = join(folder, 'app.log')
  await rm(path, { force: true })
  const mode = SPDLOG_MODES[name]
  const printed = mode === undefined ? measureHere(name, load, path) : measureSpdlog(mode, load, path, folder)
  const figure = Number(await printed)
  if (load.what !== 'disabled') checkLines(await readFile(path, 'utf8'), load.calls)
  return figure
}

/** By this Node.js. @returns What it printed */
async function measureHere(name: string, { what, calls, warmUp }: Load, path: string): Promise<string> {
  const flags = name.endsWith('marked') ? ['--import', '@fw/log/register-location'] : []
  const words = [...flags, MEASURE, name, what, path, String(calls), String(warmUp)]
  const { stdout } = await promisify(execFile)(process.execPath, words)
  return stdout
}

/** @throws {Error} unless every line is there, in order, once */
export function checkLines(log: string, count: number): void {
  const numbers = Array.from(log.matchAll(/127\.0\.0\.1['"]?:(\d+)/g), ([, n]) => Number(n))
  if (numbers.length !== count) throw new Error(`It wrote ${numbers.length} of ${count} lines`)
  if (numbers.some((n, at) => n !== at)) throw new Error('It wrote lines out of order')
}
