import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void

/**
 * Repeats `once` for about `durationMs` and returns the number of runs per second of CPU time, including garbage-collector
 * threads. Other processes do not affect the result. First collects the garbage from earlier measurements. Yields to the event
 * loop like a server, because a `Request` frees some of its memory only then.
 */
export async function perSecond(once: () => Promise<unknown> | undefined, durationMs: number): Promise<number> {
  // A full collection would also discard compiled code.
  collect({ type: 'minor' })
  const end = performance.now() + durationMs
  const start = process.cpuUsage()
  let count = 0
  while (performance.now() < end) {
    for (let i = 0; i < 64; i++) {
      const running = once()
      if (running !== undefined) await running
    }
    count += 64
    await turn()
  }
  const { user, system } = process.cpuUsage(start)
  return (count * 1e6) / (user + system)
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}

/** Returns the rate that a tenth of the turns exceeds, because other load on the machine can only slow a turn down. */
export function best(rates: readonly number[]): number {
  const sorted = [...rates].sort((a, b) => b - a)
  return sorted[Math.floor(sorted.length / 10)] ?? Number.NaN
}
