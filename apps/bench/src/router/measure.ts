import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void

/**
 * Runs `once` again and again for about `durationMs` and tells how often it ran in a second of processor time, helpers of
 * the collector included: others on the machine do not count. It begins without the garbage of whatever was measured
 * before, and lets the event loop turn, as a server does: some of what a `Request` holds is let go of only then.
 */
export async function perSecond(once: () => Promise<unknown> | undefined, durationMs: number): Promise<number> {
  // A full collection would throw away compiled code as well.
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

/** What is reached in one of ten turns: others on the machine, who share its caches, only ever make a turn slower. */
export function best(rates: readonly number[]): number {
  const sorted = [...rates].sort((a, b) => b - a)
  return sorted[Math.floor(sorted.length / 10)] ?? Number.NaN
}
