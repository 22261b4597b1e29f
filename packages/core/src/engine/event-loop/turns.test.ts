import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Turns } from './turns.ts'

/** Takes `shares` shares and logs each one. */
function worker(turns: Turns, name: string, shares: number, log: string[]): void {
  let left = shares
  const work = (): void => {
    do {
      log.push(name)
      left--
    } while (left > 0 && turns.take({ onTurn: work }))
  }
  work()
}

async function finish(log: readonly string[], length: number): Promise<number[]> {
  const perTurn = [log.length]
  for (let done = log.length; done < length; done = log.length) {
    await turn()
    perTurn.push(log.length - done)
  }
  return perTurn
}

describe('Turns', () => {
  it('grants a single taker all shares of each turn', async () => {
    const log: string[] = []
    worker(new Turns(() => 1), 'a', 100, log)
    // One share before the first request, and eight granted.
    expect(log).toHaveLength(9)
    // Each later turn grants one waiting share and the free ones.
    await finish(log, 100)
    expect(log).toHaveLength(100)
  })

  it('grants every taker a share before any taker receives a second one', async () => {
    const turns = new Turns(() => 1)
    const log: string[] = []
    const names = Array.from({ length: 200 }, (_, i) => `${i}`)
    for (const name of names) worker(turns, name, 3, log)
    const shares = await finish(log, 600)
    expect(Math.max(...shares.slice(1))).toBeLessThanOrEqual(16)
    const first = new Map(names.map((name) => [name, log.indexOf(name)]))
    const second = names.slice(20).map((name) => log.indexOf(name, (first.get(name) ?? 0) + 1))
    // Takers that had to wait were served in order.
    expect(second).toEqual(second.toSorted((a, b) => a - b))
    for (const name of names) expect(log.filter((entry) => entry === name)).toHaveLength(3)
  })

  it('grants fewer shares per turn while connections are accepted', async () => {
    let current = 1
    const turns = new Turns(() => current)
    turns.onAccepted()
    const log: string[] = []
    worker(turns, 'a', 9, log)
    // The turn has one share before the first request, plus one granted share.
    expect(log).toHaveLength(2)
    current = 2
    // The turn grants one waiting share and one free share.
    const [, ...shares] = await finish(log, 9)
    expect(Math.max(...shares)).toBe(2)
    current = 3
    worker(turns, 'b', 9, log)
    expect(log).toHaveLength(18)
  })

  it("calls onTurn outside the caller's async context", async () => {
    const turns = new Turns(() => 1)
    const user = new AsyncLocalStorage<string>()
    for (let i = 0; i < 8; i++) turns.take({ onTurn: () => {} })
    const seen: unknown[] = []
    for (const name of ['a', 'b']) {
      user.run(name, () =>
        turns.take({
          onTurn: () => {
            seen.push(user.getStore())
            user.enterWith(name)
          },
        }),
      )
    }
    await turn()
    await turn()
    expect(seen).toEqual([undefined, undefined])
  })

  it('resets its count in each turn', async () => {
    const turns = new Turns()
    const log: string[] = []
    for (let i = 1; i <= 3; i++) {
      worker(turns, 'a', 9, log)
      expect(log).toHaveLength(9 * i)
      await turn()
    }
  })
})
