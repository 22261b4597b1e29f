import { describe, expect, it } from 'vitest'
import { StreamHistory } from './stream-history.ts'

describe('StreamHistory', () => {
  it('rejects an even stream (RFC 9113 §5.1.1)', () => {
    expect(() => new StreamHistory(1).open(2)).toThrow('A client must open odd streams, got stream 2')
  })

  it('accepts frames for opened streams only, not for skipped ones', () => {
    const history = new StreamHistory(1)
    history.open(1)
    history.open(9)
    for (const id of [1, 9]) expect(() => history.expectOpened(id, 'DATA')).not.toThrow()
    for (const id of [2, 3, 7, 10, 11]) {
      expect(() => history.expectOpened(id, 'DATA')).toThrow(`DATA on stream ${id}, which was not opened`)
    }
  })

  it('distinguishes streams of the current batch from earlier ones', () => {
    const history = new StreamHistory(1)
    history.open(1)
    history.onFrames()
    history.open(3)
    expect([history.isNew(1), history.isNew(3)]).toEqual([false, true])
  })

  it('ignores only new odd streams after the end', () => {
    const history = new StreamHistory(1)
    history.open(5)
    expect(history.isIgnored(7)).toBe(false)
    history.isEnding = true
    expect([5, 6, 7].map((id) => history.isIgnored(id))).toEqual([false, false, true])
  })

  it('drops the oldest reset if there are too many', () => {
    const history = new StreamHistory(2)
    for (const id of [1, 3, 5]) history.addReset(id)
    expect([1, 3, 5].map((id) => history.wasReset(id))).toEqual([false, true, true])
  })
})
