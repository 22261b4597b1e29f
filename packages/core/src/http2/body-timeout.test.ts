import { describe, expect, it } from 'vitest'
import { Deadlines } from '../engine/event-loop/deadlines.ts'
import { BodyTimeout } from './body-timeout.ts'

const LIMITS = { bodyStallTimeoutMs: 30, requestTimeoutMs: 100, minBodyBytesPerSecond: 0, bodyRateGraceMs: 0 }

describe('BodyTimeout', () => {
  it('limits the time between two chunks, and the time of the whole body', () => {
    const time = new BodyTimeout(LIMITS, new Deadlines(), 1000)
    const deadlines = [1000, 1020, 1080].map((nowMs) => {
      time.onBytes(1, nowMs)
      return time.deadlineMs
    })
    expect(deadlines).toEqual([1030, 1050, 1100])
  })

  it('sets no deadline after it is stopped', () => {
    const time = new BodyTimeout(LIMITS, new Deadlines(), 1000)
    time.onBytes(1, 1000)
    time.stop()
    expect(time.deadlineMs).toBe(Infinity)
  })

  it('sets no deadline if every limit is 0', () => {
    const time = new BodyTimeout({ ...LIMITS, bodyStallTimeoutMs: 0, requestTimeoutMs: 0 }, new Deadlines(), 1000)
    time.onBytes(1, 1000)
    expect(time.deadlineMs).toBe(Infinity)
  })
})
