import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { Level, type Logger } from '@fw/log'

type IntervalHistogram = ReturnType<typeof monitorEventLoopDelay>

/** Between two records: often enough to find a bad minute again, and no flood. */
const INTERVAL_MS = 10_000
/** Of the histogram, which counts it in. */
const RESOLUTION_MS = 10
/** Less is the ups and downs of every process. */
const GROWTH_BYTES = 8 * 1024 * 1024

/**
 * Tells at Debug how busy and how late the event loop was, and what buffers have grown by. The histogram runs only while
 * that level is on; it may be switched on and off as the server runs.
 *
 * @returns Ends that, with a last record
 */
export function watchEventLoop(logger: Logger, intervalMs: number = INTERVAL_MS): () => void {
  let delay: IntervalHistogram | undefined
  let usage = performance.eventLoopUtilization()
  let bufferBytes = process.memoryUsage().arrayBuffers

  const look = (): void => {
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
      'Event loop: {:.1f} % busy, late by {:.1f} ms on average, {:.1f} ms (99 %), {:.1f} ms at most',
      utilization * 100,
      mean ?? 0,
      p99 ?? 0,
      max ?? 0,
    )
    const bytes = process.memoryUsage().arrayBuffers
    if (Math.abs(bytes - bufferBytes) < GROWTH_BYTES) return
    logger.debug('Buffers: {} bytes, {} before', bytes, bufferBytes)
    bufferBytes = bytes
  }

  look()
  const timer = setInterval(look, intervalMs).unref()
  return () => {
    clearInterval(timer)
    if (delay === undefined) return
    if (logger.isEnabled(Level.Debug)) report(delay)
    delay.disable()
    delay = undefined
    logger.debug('Event loop serves no more')
  }
}

/** From nanoseconds between two samples. Without a sample they are not a number. */
function delayMs(ns: number): number {
  const ms = ns / 1e6 - RESOLUTION_MS
  return ms > 0 && ms < Number.MAX_SAFE_INTEGER ? ms : 0
}
