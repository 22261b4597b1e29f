import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { OverheadBudget } from './overhead-budget.ts'

const KIB = 1024

/**
 * Receives packets until the budget is exceeded.
 *
 * @returns The number of bytes accepted, at most 100 MiB
 */
function acceptedBytes(budget: OverheadBudget, openStreams = 0): number {
  let packets = 0
  const isTooMuch = (): boolean => budget.onReceived(1350, openStreams, () => packets + 1)
  while (packets * 1350 < 100 * KIB * KIB && !isTooMuch()) packets++
  return packets * 1350
}

function roundedToPackets(bytes: number): number {
  return Math.floor(bytes / 1350) * 1350
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

describe('OverheadBudget', () => {
  it('allows 256 KiB outside requests', () => {
    expect(acceptedBytes(new OverheadBudget(performance.now()))).toBe(roundedToPackets(256 * KIB))
  })

  it('adds 64 KiB for each unread stream, and for each stream whose reading stopped before its end', () => {
    const budget = new OverheadBudget(performance.now())
    budget.onUnread()
    expect(acceptedBytes(budget, 15)).toBe(roundedToPackets(256 * KIB + 16 * 64 * KIB))
  })

  it('grows by 100 bytes per second, for the pings of an idle connection', () => {
    expect(acceptedBytes(new OverheadBudget(performance.now() - 10_000_000))).toBe(
      roundedToPackets(256 * KIB + 1_000_000),
    )
  })

  it.each<[what: string, packets: number, pass: (budget: OverheadBudget, i: number) => boolean]>([
    [
      'grows with uploads, even if their packets are often lost',
      20_000,
      (budget, i) => {
        budget.onRead(1300)
        return budget.onReceived(1350, 1, () => 2 * i) || budget.onReceived(1350, 1, () => 2 * i)
      },
    ],
    [
      'grows with downloads, for their acknowledgments',
      200_000,
      (budget, i) => {
        budget.onSent(1350)
        return budget.onReceived(60, 1, () => i)
      },
    ],
    ['ignores packets that an attacker replays', 20_000, (budget) => budget.onReceived(1350, 0, () => 10)],
  ])('%s', (_what, packets, pass) => {
    const budget = new OverheadBudget(performance.now())
    const refused = Array.from({ length: packets }, (_, i) => pass(budget, i)).filter(Boolean)
    expect(refused).toEqual([])
  })
})
