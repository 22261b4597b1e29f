import { onTestFinished, vi } from 'vitest'

/**
 * Stops the clock for the rest of a test. Files that change afterwards always count as recently changed, even on a stalled
 * machine.
 */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
}
