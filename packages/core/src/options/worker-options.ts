import { availableParallelism } from 'node:os'
import { either, flag, integer, type OptionKind, type OptionKinds, oneOf } from '@fw/options'
import { MAX_TIMER_MS } from './timer.ts'

/** Settings for the worker processes. */
export interface WorkerOptions {
  /** Number of worker processes, from 1 to 1024; `'auto'` starts one for each CPU that this process can use. */
  readonly count: number | 'auto'
  /**
   * Kills and replaces a worker whose event loop is blocked for this many milliseconds. Default 10,000; minimum 100; 0
   * disables the check.
   */
  readonly heartbeatTimeoutMs?: number
  /** Limits the time that a worker can take until it listens, in milliseconds. Default 60,000. */
  readonly startTimeoutMs?: number
  /**
   * Limits the delay before a worker that repeatedly fails to start is started again, in milliseconds. Default 30,000.
   */
  readonly maxRestartDelayMs?: number
  /** Limits the time that a replaced worker has to finish its in-flight requests, in milliseconds. Default 10,000. */
  readonly drainMs?: number
  /** Keeps an additional process running, which immediately replaces a worker that ends unexpectedly. Default false. */
  readonly spare?: boolean
}

/** Worker settings with the defaults filled in. */
export interface WorkerSettings {
  readonly count: number
  readonly pinCpus: boolean
  readonly heartbeatTimeoutMs: number
  readonly startTimeoutMs: number
  readonly maxRestartDelayMs: number
  readonly drainMs: number
  readonly spare: boolean
}

/** Maximum number of workers. A larger number is a mistake, because no machine has that many CPUs. */
const MAX_COUNT = 1024
/**
 * Default heartbeat timeout. Longer than garbage collection or a large document blocks the event loop, and shorter than
 * the 30 s after which many clients give up.
 */
const HEARTBEAT_TIMEOUT_MS = 10_000
/** Default start timeout. Long enough to load models or to wait for a database. */
const START_TIMEOUT_MS = 60_000
/**
 * Default of `maxRestartDelayMs`. Short enough to recover soon after the cause is fixed, and long enough to use little
 * CPU time.
 */
const MAX_RESTART_DELAY_MS = 30_000
/** Default drain time, as for `server.close()`. */
const DRAIN_MS = 10_000

/** Minimum heartbeat timeout. With a lower value, ordinary work would look like a blocked event loop. */
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

/** Kind of the `workers` option of `listen`. */
export const WORKERS: OptionKind = {
  ...COUNT,
  expected: `${COUNT.expected}, or an object with a count`,
  accepts: (value) => COUNT.accepts(value) || hasCount(value),
  nested: WORKER_KINDS,
}

function hasCount(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (value as Partial<WorkerOptions>).count !== undefined
}

/** Fills in the defaults for the `workers` option of `listen`. `WORKERS` checks the values. */
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
