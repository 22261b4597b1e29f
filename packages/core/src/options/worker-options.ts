import { availableParallelism } from 'node:os'
import { showValue, checkOptions } from './check-options.ts'

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
/** Longer timers of Node.js end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

interface Duration {
  readonly defaultMs: number
  readonly minMs: number
}

const DURATIONS = {
  // Longer than garbage collection and one large document take, shorter than clients wait, which often is 30 s.
  heartbeatTimeoutMs: { defaultMs: 10_000, minMs: 0 },
  // A program may load models or wait for its database before it listens; one that takes longer hangs.
  startTimeoutMs: { defaultMs: 60_000, minMs: 1 },
  // Often enough to be back soon after what was missing is there again, seldom enough to cost nothing.
  maxRestartDelayMs: { defaultMs: 30_000, minMs: 1 },
  // As of `server.close()`.
  drainMs: { defaultMs: 10_000, minMs: 0 },
} satisfies Record<string, Duration>

/** Below this, work that every program does now and then would look like a process that hangs. */
const MIN_HEARTBEAT_MS = 100

/**
 * Reads the options `workers` and `pinCpus` of `listen`.
 *
 * @throws {TypeError} for an option that does not exist or has the wrong type
 * @throws {RangeError} for a number out of range
 */
export function resolveWorkerOptions(given: number | 'auto' | WorkerOptions, pinCpus: boolean): WorkerSettings {
  const options = typeof given === 'object' && given !== null ? given : { count: given }
  checkOptions('workers', options, ['count', 'spare', ...Object.keys(DURATIONS)])
  if (typeof pinCpus !== 'boolean') throw new TypeError('Option pinCpus of listen takes true or false')
  const { spare = false } = options
  if (typeof spare !== 'boolean') throw new TypeError('Option spare of workers takes true or false')
  const settings = {
    count: options.count === 'auto' ? availableParallelism() : options.count,
    pinCpus,
    heartbeatTimeoutMs: duration(options, 'heartbeatTimeoutMs'),
    startTimeoutMs: duration(options, 'startTimeoutMs'),
    maxRestartDelayMs: duration(options, 'maxRestartDelayMs'),
    drainMs: duration(options, 'drainMs'),
    spare,
  }
  if (!(Number.isInteger(settings.count) && settings.count >= 1 && settings.count <= MAX_COUNT)) {
    throw new RangeError(
      `workers is ${showValue(options.count)}; it takes 'auto' or a whole number from 1 to ${MAX_COUNT}`,
    )
  }
  const { heartbeatTimeoutMs } = settings
  if (heartbeatTimeoutMs > 0 && heartbeatTimeoutMs < MIN_HEARTBEAT_MS) {
    throw new RangeError(
      `workers.heartbeatTimeoutMs is ${heartbeatTimeoutMs}; it takes 0 or at least ${MIN_HEARTBEAT_MS}`,
    )
  }
  return settings
}

function duration(options: WorkerOptions, name: keyof typeof DURATIONS): number {
  const { defaultMs, minMs } = DURATIONS[name]
  const value = options[name] ?? defaultMs
  if (!Number.isInteger(value) || value < minMs || value > MAX_TIMER_MS) {
    throw new RangeError(
      `workers.${name} is ${showValue(value)}; it takes a whole number of milliseconds from ${minMs} to ${MAX_TIMER_MS}`,
    )
  }
  return value
}
