import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startHeartbeat, type HeartbeatWheel, type HeartbeatTarget } from './heartbeat.ts'

/** A heartbeat like that of a stream. */
interface Heartbeat {
  postpone(): void
  stop(): void
}

describe('startHeartbeat', () => {
  const started: Heartbeat[] = []
  const start = (periodMs: number): { beats: () => number; heartbeat: Heartbeat } => {
    let count = 0
    const silent: HeartbeatTarget = { beatTick: 0, beatSlot: undefined, beat: () => void count++ }
    const wheel = startHeartbeat(periodMs, silent)
    const heartbeat = {
      postpone: () => void (silent.beatTick = wheel.tick),
      stop: () => wheel.remove(silent),
    }
    started.push(heartbeat)
    return { beats: () => count, heartbeat }
  }

  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    for (const heartbeat of started.splice(0)) heartbeat.stop()
    vi.useRealTimers()
  })

  it('beats once in each period', () => {
    const { beats } = start(1000)
    vi.advanceTimersByTime(800)
    expect(beats()).toBe(0)
    vi.advanceTimersByTime(200)
    expect(beats()).toBe(1)
    vi.advanceTimersByTime(9000)
    expect(beats()).toBe(10)
  })

  it('does not beat while writes postpone it', () => {
    const { beats, heartbeat } = start(1000)
    for (let i = 0; i < 20; i++) {
      vi.advanceTimersByTime(500)
      heartbeat.postpone()
    }
    expect(beats()).toBe(0)
    vi.advanceTimersByTime(1000)
    expect(beats()).toBe(1)
  })

  it('allows at most one silent period after a write', () => {
    for (let at = 1; at < 1000; at += 37) {
      const { beats, heartbeat } = start(1000)
      vi.advanceTimersByTime(at)
      heartbeat.postpone()
      vi.advanceTimersByTime(800)
      expect(beats()).toBe(0)
      vi.advanceTimersByTime(200)
      expect(beats()).toBe(1)
      heartbeat.stop()
    }
  })

  it('shares one timer among targets with the same period', () => {
    start(1000)
    start(1000)
    start(1000)
    expect(vi.getTimerCount()).toBe(1)
    start(2000)
    expect(vi.getTimerCount()).toBe(2)
  })

  it('stops only one target, even during a beat', () => {
    const last = start(1000)
    const stopping: HeartbeatTarget = {
      beatTick: 0,
      beatSlot: undefined,
      beat() {
        wheel.remove(stopping)
        last.heartbeat.stop()
      },
    }
    const wheel: HeartbeatWheel = startHeartbeat(1000, stopping)
    const other = start(1000)
    vi.advanceTimersByTime(3000)
    expect(last.beats()).toBe(1)
    expect(other.beats()).toBe(3)
  })

  it('stops its timer with the last target and ignores a second stop', () => {
    const { heartbeat } = start(1000)
    heartbeat.stop()
    heartbeat.stop()
    expect(vi.getTimerCount()).toBe(0)
  })
})
