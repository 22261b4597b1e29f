import { describe, expect, it } from 'vitest'
import { TicketKeys } from './ticket-keys.ts'

const DAY = 86_400_000

describe('keys of session tickets', () => {
  it('are 48 bytes, the same for a day, and others the next day', () => {
    const keys = new TicketKeys(undefined, 10 * DAY)
    const first = keys.current(10 * DAY)
    expect(first).toHaveLength(48)
    expect(keys.current(11 * DAY - 1)).toEqual(first)
    expect(keys.current(11 * DAY)).not.toEqual(first)
  })

  it('are those of no other process, unless it was told the secret', () => {
    const [one, other] = [new TicketKeys(undefined, 0), new TicketKeys(undefined, 0)]
    expect(one.current(0)).not.toEqual(other.current(0))
    expect(new TicketKeys(one.share(0), 0).current(0)).toEqual(one.current(0))
  })

  it('stay the same in processes that share them, however late one is told', () => {
    const first = new TicketKeys(undefined, 0)
    const second = new TicketKeys(first.share(0), 0)
    const third = new TicketKeys(first.share(5 * DAY), 5 * DAY)
    expect(second.current(9 * DAY)).toEqual(first.current(9 * DAY))
    expect(third.current(9 * DAY)).toEqual(first.current(9 * DAY))
  })

  it('do not go back if the clock does', () => {
    const keys = new TicketKeys(undefined, 5 * DAY)
    const now = keys.current(6 * DAY)
    expect(keys.current(5 * DAY)).toEqual(now)
  })

  it.each([
    [0, DAY],
    [1, DAY - 1],
    [3 * DAY - 1, 1],
  ])('at %i ms have %i ms to go', (nowMs, left) => {
    expect(TicketKeys.remainingMs(nowMs)).toBe(left)
  })
})
