import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Heartbeats, type HeartbeatTarget } from './heartbeat.ts'

class Target implements HeartbeatTarget {
  silentTicks = 0
  isHolding = false
  readonly events: string[] = []
  ping(): void {
    this.events.push('ping')
  }
  onDead(): void {
    this.events.push('dead')
  }
}

describe('Heartbeats', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it('sends a ping after one silent period, and ends the connection after another one', () => {
    const target = new Target()
    const heartbeats = new Heartbeats(1000)
    heartbeats.add(target)
    vi.advanceTimersByTime(999)
    expect(target.events).toEqual([])
    vi.advanceTimersByTime(1)
    expect(target.events).toEqual(['ping'])
    vi.advanceTimersByTime(999)
    expect(target.events).toEqual(['ping'])
    vi.advanceTimersByTime(1)
    expect(target.events).toEqual(['ping', 'dead'])
    heartbeats.remove(target)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('keeps a connection whose client sends a byte after each ping', () => {
    const target = new Target()
    const heartbeats = new Heartbeats(1000)
    heartbeats.add(target)
    for (let round = 0; round < 10; round++) {
      vi.advanceTimersByTime(1000)
      target.silentTicks = 0
    }
    expect(target.events).toEqual(Array<string>(10).fill('ping'))
    heartbeats.remove(target)
  })

  it('waits while the server does not read', () => {
    const target = new Target()
    target.isHolding = true
    const heartbeats = new Heartbeats(1000)
    heartbeats.add(target)
    vi.advanceTimersByTime(60_000)
    expect(target.events).toEqual([])
    heartbeats.remove(target)
  })

  it('shares one timer between the connections with the same period', () => {
    const targets = [new Target(), new Target()]
    expect(Heartbeats.of(500)).toBe(Heartbeats.of(500))
    for (const target of targets) Heartbeats.of(500).add(target)
    expect(vi.getTimerCount()).toBe(1)
    for (const target of targets) Heartbeats.of(500).remove(target)
    expect(vi.getTimerCount()).toBe(0)
  })
})
