import { describe, expect, it } from 'vitest'
import { OverheadBudget } from './overhead-budget.ts'

const MIB = 1024 * 1024

/** Receives packets until that is too much. @returns Octets that were taken, 100 MiB at most */
function takes(budget: OverheadBudget, openStreams = 0): number {
  let packets = 0
  const isTooMuch = (): boolean => budget.onReceived(1350, openStreams, () => packets + 1)
  while (packets * 1350 < 100 * MIB && !isTooMuch()) packets++
  return packets * 1350
}

function roundedToPackets(octets: number): number {
  return Math.floor(octets / 1350) * 1350
}

describe('what a peer sends beside its requests', () => {
  it('is limited to 4 MiB', () => {
    expect(takes(new OverheadBudget())).toBe(roundedToPackets(4 * MIB))
  })

  it('may be more by 64 KiB for each stream that is not read or was not read to its end', () => {
    const budget = new OverheadBudget()
    budget.onUnread()
    expect(takes(budget, 15)).toBe(roundedToPackets(5 * MIB))
  })

  it('grows with uploads, however often packets of them are lost', () => {
    const budget = new OverheadBudget()
    for (let i = 0; i < 200_000; i++) {
      budget.onRead(1300)
      expect(budget.onReceived(1350, 1, () => 2 * i) || budget.onReceived(1350, 1, () => 2 * i)).toBe(false)
    }
  })

  it('grows with downloads, which are acknowledged', () => {
    const budget = new OverheadBudget()
    for (let i = 0; i < 1_000_000; i++) {
      budget.onSent(1350)
      expect(budget.onReceived(60, 1, () => i)).toBe(false)
    }
  })

  it('does not count packets that somebody else repeats', () => {
    const budget = new OverheadBudget()
    for (let i = 0; i < 1_000_000; i++) expect(budget.onReceived(1350, 0, () => 10)).toBe(false)
  })
})
