import { onTestFinished, vi } from 'vitest'

/** For the rest of a test: what is changed from now on has just been changed, however long the machine stands still. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
}
