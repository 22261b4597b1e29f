import { describe, expect, it } from 'vitest'
import { DEFAULT_PRIORITY } from '../engine/fields/priority.ts'
import { StreamPriorities } from './stream-priorities.ts'

const URGENT = { urgency: 0, isIncremental: false }
const LATER = { urgency: 6, isIncremental: true }

describe('StreamPriorities', () => {
  it('treats streams as incremental until the client sends a priority', () => {
    const priorities = new StreamPriorities()
    expect(priorities.open(1, undefined)).toEqual({ urgency: 3, isIncremental: true })
    expect(priorities.open(3, LATER)).toBe(LATER)
    expect(priorities.open(5, undefined)).toBe(DEFAULT_PRIORITY)
  })

  it('prefers an earlier PRIORITY_UPDATE to the field in the request (RFC 9218 §7)', () => {
    const priorities = new StreamPriorities()
    priorities.setEarly(3, URGENT, 10)
    expect(priorities.open(1, LATER)).toBe(LATER)
    expect(priorities.open(3, LATER)).toBe(URGENT)
  })

  it('forgets the priorities of streams that can no longer open', () => {
    const priorities = new StreamPriorities()
    for (const id of [1, 3, 5]) expect(priorities.setEarly(id, URGENT, 3)).toBe(true)
    expect(priorities.setEarly(7, URGENT, 3)).toBe(false)
    expect(priorities.setEarly(5, LATER, 3)).toBe(true)
    priorities.open(3, undefined)
    expect(priorities.setEarly(7, URGENT, 2)).toBe(true)
    expect(priorities.open(5, undefined)).toBe(LATER)
  })
})
