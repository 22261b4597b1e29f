import { describe, expect, it } from 'vitest'
import { DiskSpeed } from './disk-speed.ts'

/** A clock, and a file system whose checks on the event loop and in the thread pool take so long, in milliseconds. */
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

  /** Looks once a millisecond. @returns How many of the checks were on the event loop */
  lookFor(ms: number): number {
    const before = this.sync
    for (let left = ms; left > 0; left--) {
      this.look()
      this.nowMs += 1
    }
    return this.sync - before
  }
}

describe('Pace', () => {
  it('leaves a quick file system on the event loop', () => {
    expect(new Disk().lookFor(10_000)).toBe(10_000)
  })

  it.each([1.1, 5, 500])('has a look that took %d ms followed by none on the event loop', (syncMs) => {
    const disk = new Disk()
    disk.syncMs = syncMs
    disk.look()
    expect(disk.lookFor(9)).toBe(0)
  })

  it('takes a hiccup for one', () => {
    const disk = new Disk()
    for (let i = 0; i < 50; i++) {
      disk.syncMs = 4
      disk.look()
      disk.syncMs = 0.002
      expect(disk.lookFor(200)).toBeGreaterThanOrEqual(185)
    }
  })

  it('does not try a disk on which all checks in the thread pool take long', () => {
    const disk = new Disk()
    disk.syncMs = 30
    disk.idleMs = 30
    expect(disk.lookFor(60_000)).toBe(1)
  })

  it.each([0, 5])('tries one of which the event loop waits %d ms, as for processors, ever more seldom', (idleMs) => {
    const disk = new Disk()
    disk.syncMs = 5
    disk.idleMs = idleMs
    disk.lookFor(10_000)
    expect(disk.lookFor(60_000)).toBeLessThanOrEqual(61)
    disk.syncMs = 0.002
    disk.lookFor(1001)
    expect(disk.lookFor(1000)).toBe(1000)
  })

  it('moves away from a file system that is a little slow all the time', () => {
    const disk = new Disk()
    disk.syncMs = 0.5
    expect(disk.lookFor(1000)).toBeLessThan(200)
  })

  it('does not try one of which no look in the thread pool comes back', () => {
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

  it('tries again where nothing was asked for in the meantime', () => {
    const disk = new Disk()
    disk.syncMs = 5
    disk.look()
    disk.nowMs += 11
    expect(disk.pace.isHeld(disk.nowMs)).toBe(false)
  })
})
