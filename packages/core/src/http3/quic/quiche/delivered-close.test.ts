import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DeliveredClose } from './delivered-close.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('DeliveredClose', () => {
  it('gives the peer time to read the received bytes, once', () => {
    let isDelivered = false
    const codes: number[] = []
    const close = new DeliveredClose(
      () => isDelivered,
      (code) => codes.push(code),
    )
    close.check()
    expect([close.begin(256), close.begin(257)]).toEqual([true, false])
    close.check()
    vi.advanceTimersByTime(1000)
    isDelivered = true
    close.check()
    vi.advanceTimersByTime(49)
    close.check()
    expect(codes).toEqual([])
    vi.advanceTimersByTime(1)
    expect(codes).toEqual([256])
  })

  it('closes after the delivery timeout if the bytes are not acknowledged', () => {
    const codes: number[] = []
    const close = new DeliveredClose(
      () => false,
      (code) => codes.push(code),
    )
    close.begin(256)
    vi.advanceTimersByTime(3000)
    expect(codes).toEqual([256])
  })

  it('does nothing if the connection has already closed', () => {
    const codes: number[] = []
    const close = new DeliveredClose(
      () => true,
      (code) => codes.push(code),
    )
    close.begin(256)
    close.check()
    close.clear()
    vi.advanceTimersByTime(10_000)
    expect(codes).toEqual([])
  })
})
