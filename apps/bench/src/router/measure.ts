/** Runs `once` again and again for about `durationMs` and tells how often it ran in a second. */
export async function perSecond(once: () => Promise<unknown> | undefined, durationMs: number): Promise<number> {
  const start = performance.now()
  const end = start + durationMs
  let count = 0
  while (performance.now() < end) {
    for (let i = 0; i < 64; i++) {
      const running = once()
      if (running !== undefined) await running
    }
    count += 64
  }
  return (count * 1000) / (performance.now() - start)
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}
