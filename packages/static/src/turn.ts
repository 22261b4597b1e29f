import { performance } from 'node:perf_hooks'

const { nodeTiming } = performance

/**
 * A number that is the same all through one turn of the event loop, and another one in the next. A turn begins when the
 * loop asks the system what has come in.
 */
export function currentTurn(): number {
  return nodeTiming.uvMetricsInfo.loopCount
}
