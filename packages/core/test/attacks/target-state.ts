import type { BufferedBytes } from '../../src/index.ts'

/** State that the attacked server reports. */
export interface TargetState {
  readonly rssBytes: number
  /**
   * CPU time of event-loop turns in milliseconds, in ascending order. Other clients wait for this time, independently
   * of the machine's load.
   */
  readonly turnsMs: readonly number[]
  /** Maximum number of bytes that the server buffered for its clients since the last report. */
  readonly maxBufferedBytes: number
  /** The limit for these bytes; 0 for a server without one. */
  readonly bufferLimitBytes: number
  /** Bytes of live objects and buffers, measured after garbage collection; 0 unless the program runs with `--expose-gc`. */
  readonly retainedBytes: number
  /** Number of bodies that handlers created. */
  readonly bodies: number
  /** Maximum number of bodies that handlers created in one turn of the event loop since the last report. */
  readonly maxBodiesPerTurn: number
}

/** Counts the bodies that handlers create, in total and per turn of the event loop. */
export class BodyCount {
  total = 0
  maxPerTurn = 0
  #inTurn = 0

  add(): void {
    this.total++
    if (this.#inTurn++ === 0) setImmediate(() => (this.#inTurn = 0))
    this.maxPerTurn = Math.max(this.maxPerTurn, this.#inTurn)
  }
}

/** Interval in milliseconds between measured turns. */
const SAMPLE_MS = 5

/**
 * Reports the port to the parent process, and the state on request. Exits with the parent.
 *
 * @param buffered Returns the number of bytes that the server buffers for its clients
 */
export function reportToParent(
  port: number | undefined,
  buffered?: () => BufferedBytes,
  bodyCount: BodyCount = new BodyCount(),
): void {
  const turnsMs: number[] = []
  let maxBufferedBytes = 0
  const measureBuffered = (): void => void (maxBufferedBytes = Math.max(maxBufferedBytes, buffered?.().bytes ?? 0))
  setInterval(measureBuffered, 1)
  setInterval(measureTurn, SAMPLE_MS, turnsMs)
  process.send?.({ port })
  process.on('message', (message) => {
    turnsMs.sort((a, b) => a - b)
    measureBuffered()
    const rssBytes = process.memoryUsage.rss()
    const bufferLimitBytes = buffered?.().limitBytes ?? 0
    const { total: bodies, maxPerTurn: maxBodiesPerTurn } = bodyCount
    const retainedBytes = message === 'collect' ? retained() : 0
    const state = { rssBytes, turnsMs, maxBufferedBytes, bufferLimitBytes, retainedBytes, bodies, maxBodiesPerTurn }
    process.send?.(state satisfies TargetState)
    turnsMs.length = 0
    maxBufferedBytes = 0
    bodyCount.maxPerTurn = 0
  })
  process.once('disconnect', () => process.exit())
}

function retained(): number {
  if (globalThis.gc === undefined) return 0
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function measureTurn(turnsMs: number[]): void {
  setImmediate(() => {
    const before = process.cpuUsage()
    setImmediate(() => {
      const { user, system } = process.cpuUsage(before)
      turnsMs.push((user + system) / 1000)
    })
  })
}
