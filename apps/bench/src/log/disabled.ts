import type { Candidate } from './candidate.ts'

/**
 * Functions that the loop calls between the log calls. V8 does not inline a call with this many targets. It must assume that
 * the call can change any state, so it cannot hoist the level check out of the loop.
 */
const OPAQUE: readonly ((n: number) => number)[] = [
  (n) => n,
  (n) => n + 1,
  (n) => n + 2,
  (n) => n + 3,
  (n) => n + 4,
  (n) => n + 5,
  (n) => n + 6,
  (n) => n + 7,
]

/** Calls per batch. A batch takes a few microseconds, so other processes slow only a few batches down. */
const BATCH = 1000

/**
 * Returns the nanoseconds that a call below the threshold adds to a loop. Compares the fastest batch with calls and the fastest
 * batch without them, because other load on the machine can only increase the time.
 */
export function measureDisabled({ debug }: Pick<Candidate, 'debug'>, calls: number): number {
  const [withCalls, without]: [number[], number[]] = [[], []]
  let total = 0
  for (let left = calls; left > 0; left -= BATCH) {
    const start = performance.now()
    for (let n = 0; n < BATCH; n++) {
      total += OPAQUE[n & 7]?.(n) ?? 0
      debug(n)
    }
    const middle = performance.now()
    for (let n = 0; n < BATCH; n++) total += OPAQUE[n & 7]?.(n) ?? 0
    withCalls.push(middle - start)
    without.push(performance.now() - middle)
  }
  if (total === 0) throw new Error('The loop did not run')
  return ((Math.min(...withCalls) - Math.min(...without)) / BATCH) * 1e6
}
