import { describe, expect, it } from 'vitest'
import { StreamHistory } from './stream-history.ts'

describe('StreamHistory', () => {
  it('lets a client open streams of odd numbers only (RFC 9113 §5.1.1)', () => {
    expect(() => new StreamHistory(1).open(2)).toThrow('A client opens stream 2')
  })

  it('knows which streams were opened, without those that were left out', () => {
    const history = new StreamHistory(1)
    history.open(1)
    history.open(9)
    for (const id of [1, 9]) expect(() => history.expectOpened(id, 'DATA')).not.toThrow()
    for (const id of [2, 3, 7, 10, 11]) {
      expect(() => history.expectOpened(id, 'DATA')).toThrow(`DATA on stream ${id}, which was not opened`)
    }
  })

  it('tells streams that were opened just now from others', () => {
    const history = new StreamHistory(1)
    history.open(1)
    history.onFrames()
    history.open(3)
    expect([history.isNew(1), history.isNew(3)]).toEqual([false, true])
  })

  it('passes over what is new after the end, and nothing else', () => {
    const history = new StreamHistory(1)
    history.open(5)
    expect(history.isPassedOver(7)).toBe(false)
    history.isEnding = true
    expect([5, 6, 7].map((id) => history.isPassedOver(id))).toEqual([false, false, true])
  })

  it('forgets the oldest reset', () => {
    const history = new StreamHistory(2)
    for (const id of [1, 3, 5]) history.addReset(id)
    expect([1, 3, 5].map((id) => history.wasReset(id))).toEqual([false, true, true])
  })
})
