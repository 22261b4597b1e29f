import { describe, expect, it } from 'vitest'
import { DiskSpeed } from './disk-speed.ts'

/** Simulates a clock and a file system. `syncMs` and `idleMs` are the durations of its stat calls. */
class Disk {
  readonly pace = new DiskSpeed()
  nowMs = 1000
  syncMs = 0.002
  idleMs = 0.05
  sync = 0
  stalledMs = 0

  look(): void {
    if (this.pace.isHeld(this.nowMs)) {
      this.pace.begin()
      this.pace.end(this.idleMs)
      return
    }
    this.sync++
    if (this.syncMs > 1) this.stalledMs += this.syncMs
    this.pace.recordSync(this.nowMs, (this.nowMs += this.syncMs))
  }

  /** Makes one stat call per millisecond. Returns the number of synchronous calls. */
  lookFor(ms: number): number {
    const before = this.sync
    for (let left = ms; left > 0; left--) {
      this.look()
      this.nowMs += 1
    }
    return this.sync - before
  }
}

describe('DiskSpeed', () => {
  it('keeps stat calls of a fast file system on the event loop', () => {
    expect(new Disk().lookFor(10_000)).toBe(10_000)
  })

  it.each([1.1, 5, 500])('moves to the thread pool after one call that takes %d ms', (syncMs) => {
    const disk = new Disk()
    disk.syncMs = syncMs
    disk.look()
    expect(disk.lookFor(9)).toBe(0)
  })

  it('returns to the event loop after a single slow call', () => {
    const disk = new Disk()
    for (let i = 0; i < 50; i++) {
      disk.syncMs = 4
      disk.look()
      disk.syncMs = 0.002
      expect(disk.lookFor(200)).toBeGreaterThanOrEqual(185)
    }
  })

  it('remains in the thread pool while every pooled call is slow', () => {
    const disk = new Disk()
    disk.syncMs = 30
    disk.idleMs = 30
    expect(disk.lookFor(60_000)).toBe(1)
  })

  it.each([0, 5])(
    'backs off between slow synchronous calls while pooled calls leave the event loop idle for only %d ms',
    (idleMs) => {
      const disk = new Disk()
      disk.syncMs = 5
      disk.idleMs = idleMs
      disk.lookFor(10_000)
      expect(disk.lookFor(60_000)).toBeLessThanOrEqual(61)
      disk.syncMs = 0.002
      disk.lookFor(1001)
      expect(disk.lookFor(1000)).toBe(1000)
    },
  )

  it('moves to the thread pool if calls are slightly slow on average', () => {
    const disk = new Disk()
    disk.syncMs = 0.5
    expect(disk.lookFor(1000)).toBeLessThan(200)
  })

  it('remains in the thread pool while a pooled call does not end', () => {
    const disk = new Disk()
    disk.syncMs = 5
    disk.look()
    disk.pace.begin()
    expect(Array.from({ length: 1000 }, () => disk.pace.isHeld((disk.nowMs += 50)))).not.toContain(false)
    disk.pace.end(50_000)
    disk.pace.begin()
    disk.pace.end(0)
    expect(disk.pace.isHeld((disk.nowMs += 1001))).toBe(false)
  })

  it('retries on the event loop after a time without calls', () => {
    const disk = new Disk()
    disk.syncMs = 5
    disk.look()
    disk.nowMs += 11
    expect(disk.pace.isHeld(disk.nowMs)).toBe(false)
  })
})
