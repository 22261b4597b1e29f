import { describe, expect, it } from 'vitest'
import { TicketKeys } from './ticket-keys.ts'

const DAY = 86_400_000

describe('TicketKeys', () => {
  it('returns 48 bytes that are the same for a day and different the next day', () => {
    const keys = new TicketKeys(undefined, 10 * DAY)
    const first = keys.current(10 * DAY)
    expect(first).toHaveLength(48)
    expect(keys.current(11 * DAY - 1)).toEqual(first)
    expect(keys.current(11 * DAY)).not.toEqual(first)
  })

  it('returns keys that differ from those of other processes unless they share the secret', () => {
    const [one, other] = [new TicketKeys(undefined, 0), new TicketKeys(undefined, 0)]
    expect(one.current(0)).not.toEqual(other.current(0))
    expect(new TicketKeys(one.share(0), 0).current(0)).toEqual(one.current(0))
  })

  it('returns equal keys in processes that share the secret, regardless of when they receive it', () => {
    const first = new TicketKeys(undefined, 0)
    const second = new TicketKeys(first.share(0), 0)
    const third = new TicketKeys(first.share(5 * DAY), 5 * DAY)
    expect(second.current(9 * DAY)).toEqual(first.current(9 * DAY))
    expect(third.current(9 * DAY)).toEqual(first.current(9 * DAY))
  })

  it('keeps its keys if the clock is set back', () => {
    const keys = new TicketKeys(undefined, 5 * DAY)
    const now = keys.current(6 * DAY)
    expect(keys.current(5 * DAY)).toEqual(now)
  })

  it.each([
    [0, DAY],
    [1, DAY - 1],
    [3 * DAY - 1, 1],
  ])('reports at %i ms that the keys change in %i ms', (nowMs, left) => {
    expect(TicketKeys.remainingMs(nowMs)).toBe(left)
  })
})
