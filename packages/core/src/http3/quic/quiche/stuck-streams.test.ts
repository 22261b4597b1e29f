import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { StuckStreams } from './stuck-streams.ts'

/** A transport that has not finished the streams given; 8 was stopped by the peer. */
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

const onTooMany = vi.fn<() => void>()

beforeEach(() => {
  vi.useFakeTimers()
  onTooMany.mockClear()
})
afterEach(() => void vi.useRealTimers())

function watch(transport: Transport, ...streamIds: number[]): StuckStreams {
  const streams = new StuckStreams(transport, 2, onTooMany)
  for (const streamId of streamIds) streams.onGivenUp(streamId)
  return streams
}

it('is empty when the transport has finished everything', () => {
  const transport = new Transport(4, 8)
  const streams = watch(transport, 0, 4, 8)
  expect(streams.isEmpty).toBe(false)
  transport.unfinished.clear()
  expect(streams.isEmpty).toBe(true)
})

it('asks about streams that ended well only when it has to know', () => {
  const transport = new Transport(4)
  const capacity = vi.spyOn(transport, 'streamCapacity')
  const streams = watch(transport)
  for (let streamId = 0; streamId < 4000; streamId += 4) streams.onEnded(streamId)
  vi.advanceTimersByTime(60_000)
  expect(capacity).not.toHaveBeenCalled()
  expect(streams.isEmpty).toBe(true)
  streams.onEnded(4)
  expect(streams.isEmpty).toBe(false)
  expect(transport.resets).toEqual([])
})

it('resets a stream that is not finished for five seconds, when everything has arrived long ago', () => {
  const transport = new Transport(4)
  const streams = watch(transport, 0, 4)
  vi.advanceTimersByTime(5000)
  expect([streams.isEmpty, transport.resets]).toEqual([false, []])
  vi.advanceTimersByTime(1)
  expect([streams.isEmpty, transport.resets]).toEqual([false, [4]])
})

it('says once that there are too many, when so many are stuck for ten seconds, without being asked', () => {
  watch(new Transport(4, 8), 0, 4, 8)
  vi.advanceTimersByTime(10_000)
  expect(onTooMany).not.toHaveBeenCalled()
  vi.advanceTimersByTime(60_000)
  expect(onTooMany).toHaveBeenCalledOnce()
})

it.each([
  ['there are fewer', [4], [0, 4]],
  ['they were finished late', [], [4, 8]],
])('says nothing when %s', (_why, unfinished, watched) => {
  const transport = new Transport(4, 8)
  watch(transport, ...watched)
  vi.advanceTimersByTime(9000)
  transport.unfinished.clear()
  for (const streamId of unfinished) transport.unfinished.add(streamId)
  vi.advanceTimersByTime(60_000)
  expect(onTooMany).not.toHaveBeenCalled()
})

it('says nothing once it is closed', () => {
  const streams = watch(new Transport(4, 8), 4, 8)
  streams.close()
  vi.advanceTimersByTime(60_000)
  expect(onTooMany).not.toHaveBeenCalled()
})
