import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { StuckStreams } from './stuck-streams.ts'

/** A transport that has not finished the streams given. */
class Transport {
  readonly unfinished: Set<number>
  readonly resets: number[] = []
  constructor(...streamIds: number[]) {
    this.unfinished = new Set(streamIds)
  }
  streamCapacity(streamId: number): number {
    if (!this.unfinished.has(streamId)) throw new Error(`InvalidStreamState(${streamId})`)
    if (streamId === 8) throw new Error('StreamStopped(268)')
    return 0
  }
  streamShutdown(streamId: number): void {
    this.resets.push(streamId)
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function watch(transport: Transport, maxConcurrentStreams: number, ...streamIds: number[]): StuckStreams {
  const streams = new StuckStreams(transport, maxConcurrentStreams)
  for (const streamId of streamIds) streams.watch(streamId)
  return streams
}

it('is empty when the transport has finished everything', () => {
  const transport = new Transport(4, 8)
  const streams = watch(transport, 4, 0, 4, 8)
  expect(streams.isEmpty).toBe(false)
  transport.unfinished.clear()
  expect(streams.isEmpty).toBe(true)
})

it('resets a stream that is not finished for five seconds, when everything has arrived long ago', () => {
  const transport = new Transport(4)
  const streams = watch(transport, 4, 0, 4)
  vi.advanceTimersByTime(5000)
  expect([streams.isEmpty, transport.resets]).toEqual([false, []])
  vi.advanceTimersByTime(1)
  expect([streams.isEmpty, transport.resets]).toEqual([false, [4]])
})

it('says that there are too many when half of the streams are stuck for ten seconds', () => {
  const streams = watch(new Transport(4, 8), 4, 0, 4, 8)
  vi.advanceTimersByTime(9999)
  expect(streams.areTooMany).toBe(false)
  vi.advanceTimersByTime(1002)
  expect(streams.areTooMany).toBe(true)
})

it('does not count streams that finished late', () => {
  const transport = new Transport(4, 8)
  const streams = watch(transport, 4, 4, 8)
  vi.advanceTimersByTime(60_000)
  transport.unfinished.delete(4)
  expect(streams.areTooMany).toBe(false)
})
