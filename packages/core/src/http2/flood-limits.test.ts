import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../options/limits.ts'
import { ConnectionError, ErrorCode } from './errors.ts'
import { FloodLimits } from './flood-limits.ts'

const limits = { ...DEFAULT_LIMITS, maxStreamResetBurst: 3, maxStreamResetsPerSecond: 0 }

describe('FloodLimits', () => {
  it('closes the connection at the first reset beyond the burst', () => {
    const flood = new FloodLimits(limits, performance.now())
    for (let i = 0; i < 3; i++) flood.countReset()
    expect(() => flood.countReset()).toThrow(new ConnectionError(ErrorCode.ENHANCE_YOUR_CALM, 'Too many streams reset'))
  })

  it('closes the connection after too many frames that have no effect', () => {
    const flood = new FloodLimits(limits, performance.now())
    const repeat = (count: number): void => {
      for (let i = 0; i < count; i++) flood.countIdleFrame()
    }
    expect(() => repeat(10_000)).not.toThrow()
    expect(() => repeat(10_000)).toThrow(ConnectionError)
  })

  it('counts resets separately from frames that have no effect', () => {
    const flood = new FloodLimits(limits, performance.now())
    for (let i = 0; i < 100; i++) flood.countIdleFrame()
    expect(() => flood.countReset()).not.toThrow()
  })
})
