import { availableParallelism } from 'node:os'
import { either, flag, integer, type OptionKind, type OptionKinds, oneOf } from '@fw/options'
import { MAX_TIMER_MS } from './timer.ts'

/** Settings of the worker processes of a program. */
export interface WorkerOptions {
  /** Processes; `'auto'` for one on each CPU that this process may use. */
  readonly count: number | 'auto'
  /** For how long an event loop may not turn until its process is killed and replaced, 10,000 ms by default; 0 for ever. */
  readonly heartbeatTimeoutMs?: number
  /** How long a process may take until it listens, 60,000 ms by default. */
  readonly startTimeoutMs?: number
  /** The longest wait before a process that keeps dying is started again, 30,000 ms by default. */
  readonly maxRestartDelayMs?: number
  /** How long the running requests of a process that is replaced may take, 10,000 ms by default. */
  readonly drainMs?: number
  /** Whether one process more is kept started, to take the place of one that dies at once; `false` by default. */
  readonly spare?: boolean
}

/** Such settings with nothing left open. */
export interface WorkerSettings {
  readonly count: number
  readonly pinCpus: boolean
  readonly heartbeatTimeoutMs: number
  readonly startTimeoutMs: number
  readonly maxRestartDelayMs: number
  readonly drainMs: number
  readonly spare: boolean
}

/** More processes than the largest machines have CPUs are a slip. */
const MAX_COUNT = 1024
/** Longer than garbage collection or one large document blocks, shorter than the 30 s that many clients wait. */
const HEARTBEAT_TIMEOUT_MS = 10_000
/** A program may load models or wait for its database before it listens. One that takes longer hangs. */
const START_TIMEOUT_MS = 60_000
/** Short enough to return soon after the cause is gone, long enough to cost nothing. */
const MAX_RESTART_DELAY_MS = 30_000
/** The default of `server.close()`. */
const DRAIN_MS = 10_000

/** Below this, work that every program does now and then would look like a process that hangs. */
const MIN_HEARTBEAT_MS = 100

const COUNT: OptionKind = {
  ...either(integer(1, MAX_COUNT), oneOf('auto')),
  fix: (value) =>
    typeof value === 'string'
      ? 'Convert text first, for example Number(process.env.NAME).'
      : `Use 'auto' to start one process on each CPU.`,
}

const WORKER_KINDS: OptionKinds<WorkerOptions> = {
  count: COUNT,
  heartbeatTimeoutMs: either(oneOf(0), integer(MIN_HEARTBEAT_MS, MAX_TIMER_MS)),
  startTimeoutMs: integer(1, MAX_TIMER_MS),
  maxRestartDelayMs: integer(1, MAX_TIMER_MS),
  drainMs: integer(0, MAX_TIMER_MS),
  spare: flag,
}

/** The kind of the option `workers` of `listen`. */
export const WORKERS: OptionKind = {
  ...COUNT,
  expected: `${COUNT.expected}, or an object with a count`,
  accepts: (value) => COUNT.accepts(value) || hasCount(value),
  nested: WORKER_KINDS,
}

function hasCount(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (value as Partial<WorkerOptions>).count !== undefined
}

/** Fills in the defaults of the option `workers` of `listen`. `WORKERS` checks the values. */
export function resolveWorkerOptions(given: number | 'auto' | WorkerOptions, pinCpus: boolean): WorkerSettings {
  const options = typeof given === 'object' ? given : { count: given }
  return {
    count: options.count === 'auto' ? availableParallelism() : options.count,
    pinCpus,
    heartbeatTimeoutMs: options.heartbeatTimeoutMs ?? HEARTBEAT_TIMEOUT_MS,
    startTimeoutMs: options.startTimeoutMs ?? START_TIMEOUT_MS,
    maxRestartDelayMs: options.maxRestartDelayMs ?? MAX_RESTART_DELAY_MS,
    drainMs: options.drainMs ?? DRAIN_MS,
    spare: options.spare ?? false,
  }
}
