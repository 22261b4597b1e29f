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

/** Kind of work that a comparison measures. */
interface Work {
  readonly name: string
  readonly title: string
  readonly mode: Load['mode']
  readonly metric: MetricKey
  readonly candidates: readonly string[]
  readonly reference: string
  /** Number of calls in a full run and in a quick run. */
  readonly calls: readonly [number, number]
  readonly warmUp: number
  readonly targets: readonly Target[]
}

const ALL = [...Object.keys(CANDIDATES), ...Object.keys(SPDLOG_MODES)]
const PLAIN = ALL.filter((name) => !/location|caller|logger/.test(name))
/** Loggers that differ from `fw sync` only in calls below the threshold. */
const BELOW = ['fw child logger', 'fw request logger']
/** Loggers that make one system call per record before the call returns. */
const WRITES_EACH = ['pino sync', 'roarr', 'consola']
const MEASURE = join(import.meta.dirname, 'measure.ts')

const WORKS: readonly Work[] = [
  {
    name: 'call',
    title: 'A call with two arguments, written to a file; 100 calls per event-loop turn, median turn',
    mode: 'chunk',
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
    title: 'A burst of calls, until all lines are in the file',
    mode: 'burst',
    metric: 'linesRate',
    candidates: PLAIN,
    reference: 'pino worker',
    // A shorter burst would mostly measure V8's compilation.
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
    title: 'A call that determines the file and line of its caller',
    mode: 'chunk',
    metric: 'callNs',
    candidates: ALL.filter((name) => /location|caller/.test(name)),
    reference: 'pino-caller',
    calls: [60_000, 20_000],
    warmUp: 10_000,
    targets: [{ of: 'fw async, location, marked', metric: 'callNs', to: 'pino-caller', atMost: 0.1 }],
  },
  {
    name: 'disabled',
    title: 'A call below the threshold, without the cost of the loop; fastest of many batches',
    mode: 'disabled',
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

function candidateOf(name: string, { mode, metric, calls: [calls, quickCalls], warmUp }: Work): Candidate {
  return {
    name,
    missing: name in SPDLOG_MODES ? missingSpdlog() : undefined,
    async measure(run) {
      const load: Load = { mode, calls: run.isQuick ? quickCalls : calls, warmUp }
      return { [metric]: await measureLogger(name, load, run) }
    },
  }
}

/** Measures one logger in a separate process and checks its log. */
async function measureLogger(name: string, load: Load, { folder }: Run): Promise<number> {
  const path = join(folder, 'app.log')
  await rm(path, { force: true })
  const spdlogMode = SPDLOG_MODES[name]
  const printed =
    spdlogMode === undefined ? measureNode(name, load, path) : measureSpdlog(spdlogMode, load, path, folder)
  const figure = Number(await printed)
  if (load.mode !== 'disabled') checkLines(await readFile(path, 'utf8'), load.calls)
  return figure
}

/** Runs `measure.ts` with this Node.js executable. @returns its output */
async function measureNode(name: string, { mode, calls, warmUp }: Load, path: string): Promise<string> {
  const flags = name.endsWith('marked') ? ['--import', '@fw/log/register-location'] : []
  const words = [...flags, MEASURE, name, mode, path, String(calls), String(warmUp)]
  const { stdout } = await promisify(execFile)(process.execPath, words)
  return stdout
}

/** Checks that the log contains every line once and in order. @throws {Error} if it does not */
export function checkLines(log: string, count: number): void {
  const numbers = Array.from(log.matchAll(/127\.0\.0\.1['"]?:(\d+)/g), ([, n]) => Number(n))
  if (numbers.length !== count) throw new Error(`The log has ${numbers.length} lines, expected ${count}`)
  if (numbers.some((n, at) => n !== at)) throw new Error('The log lines are out of order')
}
