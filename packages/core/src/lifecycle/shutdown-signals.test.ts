import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { onShutdownSignal } from './shutdown-signals.ts'

type Signal = 'SIGINT' | 'SIGTERM'

let happened: unknown[]
let stop: () => void

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  happened = []
  vi.spyOn(process, 'exit').mockImplementation((code) => happened.push(code) as never)
  stop = onShutdownSignal((signal) => {
    happened.push(signal)
    // The server never finishes closing in these tests.
    return new Promise(() => {})
  })
})
afterEach(() => {
  stop()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

it.each<[Signal, Signal, number, readonly unknown[]]>([
  ['SIGTERM', 'SIGTERM', 0, ['SIGTERM']],
  ['SIGINT', 'SIGINT', 249, ['SIGINT']],
  ['SIGINT', 'SIGINT', 250, ['SIGINT', 130]],
  ['SIGTERM', 'SIGTERM', 60_000, ['SIGTERM', 143]],
  ['SIGINT', 'SIGTERM', 0, ['SIGINT', 143]],
  ['SIGTERM', 'SIGINT', 1, ['SIGTERM', 130]],
])(
  'handles %s and then %s after %i ms as %j, because npm forwards a signal that the whole group has received',
  (first, second, afterMs, expected) => {
    process.emit(first, first)
    vi.advanceTimersByTime(afterMs)
    process.emit(second, second)
    expect(happened).toEqual(expected)
  },
)
