import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { StuckStreams } from './stuck-streams.ts'

/** Transport on which the given streams are unfinished. The peer has stopped stream 8. */
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
  for (const streamId of streamIds) streams.onAborted(streamId)
  return streams
}

it('becomes empty when the transport has finished all streams', () => {
  const transport = new Transport(4, 8)
  const streams = watch(transport, 0, 4, 8)
  expect(streams.isEmpty).toBe(false)
  transport.unfinished.clear()
  expect(streams.isEmpty).toBe(true)
})

it('checks cleanly ended streams only when `isEmpty` is read', () => {
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

it('resets a stream that is unfinished after five seconds', () => {
  const transport = new Transport(4)
  const streams = watch(transport, 0, 4)
  vi.advanceTimersByTime(5000)
  expect([streams.isEmpty, transport.resets]).toEqual([false, []])
  vi.advanceTimersByTime(1)
  expect([streams.isEmpty, transport.resets]).toEqual([false, [4]])
})

it('calls `onTooMany` once when the maximum number of streams is stuck for ten seconds', () => {
  watch(new Transport(4, 8), 0, 4, 8)
  vi.advanceTimersByTime(10_000)
  expect(onTooMany).not.toHaveBeenCalled()
  vi.advanceTimersByTime(60_000)
  expect(onTooMany).toHaveBeenCalledOnce()
})

it.each([
  ['fewer streams are stuck', [4], [0, 4]],
  ['the streams finish late', [], [4, 8]],
])('does not call `onTooMany` if %s', (_why, unfinished, watched) => {
  const transport = new Transport(4, 8)
  watch(transport, ...watched)
  vi.advanceTimersByTime(9000)
  transport.unfinished.clear()
  for (const streamId of unfinished) transport.unfinished.add(streamId)
  vi.advanceTimersByTime(60_000)
  expect(onTooMany).not.toHaveBeenCalled()
})

it('does not call `onTooMany` after close', () => {
  const streams = watch(new Transport(4, 8), 4, 8)
  streams.close()
  vi.advanceTimersByTime(60_000)
  expect(onTooMany).not.toHaveBeenCalled()
})
