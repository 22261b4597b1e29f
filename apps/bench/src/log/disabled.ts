import type { Candidate } from './candidate.ts'

/**
 * Between the calls one of many functions is called, which the compiler therefore neither puts in place nor looks into:
 * it must take each call for one before which anything may have changed, and keeps nothing from one to the next.
 */
const UNFORESEEN: readonly ((n: number) => number)[] = [
  (n) => n,
  (n) => n + 1,
  (n) => n + 2,
  (n) => n + 3,
  (n) => n + 4,
  (n) => n + 5,
  (n) => n + 6,
  (n) => n + 7,
]

/** Calls of a part, which is measured beside one without them: some microseconds, in which mostly nothing intervenes. */
const PART = 1000

/**
 * Nanoseconds that a call below the threshold adds to a loop: by the quickest parts, as what else the machine does can
 * only add to them.
 */
export function measureDisabled({ debug }: Pick<Candidate, 'debug'>, calls: number): number {
  const [withCalls, without]: [number[], number[]] = [[], []]
  let total = 0
  for (let left = calls; left > 0; left -= PART) {
    const start = performance.now()
    for (let n = 0; n < PART; n++) {
      total += UNFORESEEN[n & 7]?.(n) ?? 0
      debug(n)
    }
    const middle = performance.now()
    for (let n = 0; n < PART; n++) total += UNFORESEEN[n & 7]?.(n) ?? 0
    withCalls.push(middle - start)
    without.push(performance.now() - middle)
  }
  if (total === 0) throw new Error('The loop did not run')
  return ((Math.min(...withCalls) - Math.min(...without)) / PART) * 1e6
}
