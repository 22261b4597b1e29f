import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { Level, type Logger } from '@fw/log'

type IntervalHistogram = ReturnType<typeof monitorEventLoopDelay>

/** Interval between two records. Short enough to show a slow minute, and long enough not to flood the log. */
const INTERVAL_MS = 10_000
/** Sampling interval of the delay histogram. The measured delays include it. */
const RESOLUTION_MS = 10
/** Minimum change to report. Smaller changes occur in every process. */
const GROWTH_BYTES = 8 * 1024 * 1024

/**
 * Logs event-loop load and delay, and buffer growth, at level Debug. The histogram runs only while that level is
 * enabled, which can change at any time.
 *
 * @returns A function that logs a last record and stops logging
 */
export function watchEventLoop(logger: Logger, intervalMs: number = INTERVAL_MS): () => void {
  let delay: IntervalHistogram | undefined
  let usage = performance.eventLoopUtilization()
  let bufferBytes = process.memoryUsage().arrayBuffers

  const sample = (): void => {
    if (!logger.isEnabled(Level.Debug)) {
      delay?.disable()
      delay = undefined
      return
    }
    if (delay === undefined) {
      delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
      delay.enable()
      usage = performance.eventLoopUtilization()
      return
    }
    report(delay)
  }
  const report = (histogram: IntervalHistogram): void => {
    const { utilization } = performance.eventLoopUtilization(usage)
    usage = performance.eventLoopUtilization()
    const [mean, p99, max] = [histogram.mean, histogram.percentile(99), histogram.max].map(delayMs)
    histogram.reset()
    logger.debug(
      'Event loop: {:.1f}% busy, delay {:.1f} ms on average, {:.1f} ms at the 99th percentile, {:.1f} ms maximum',
      utilization * 100,
      mean ?? 0,
      p99 ?? 0,
      max ?? 0,
    )
    const bytes = process.memoryUsage().arrayBuffers
    if (Math.abs(bytes - bufferBytes) < GROWTH_BYTES) return
    logger.debug('Buffers: {} bytes, previously {}', bytes, bufferBytes)
    bufferBytes = bytes
  }

  sample()
  const timer = setInterval(sample, intervalMs).unref()
  return () => {
    clearInterval(timer)
    if (delay === undefined) return
    if (logger.isEnabled(Level.Debug)) report(delay)
    delay.disable()
    delay = undefined
    logger.debug('Event loop records stopped')
  }
}

/**
 * Converts a sampled interval in nanoseconds to a delay in milliseconds. Returns 0 for NaN, which a histogram without
 * samples reports.
 */
function delayMs(ns: number): number {
  const ms = ns / 1e6 - RESOLUTION_MS
  return ms > 0 && ms < Number.MAX_SAFE_INTEGER ? ms : 0
}
