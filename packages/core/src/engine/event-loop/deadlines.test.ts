import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Deadlines } from './deadlines.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('calls onDeadline once, never early and at most one tick late', () => {
  const deadlines = new Deadlines(100)
  let calls = 0
  const watched = { deadlineMs: Infinity, onDeadline: () => calls++ }
  deadlines.watch(watched)
  watched.deadlineMs = deadlines.in(1000)
  vi.advanceTimersByTime(999)
  expect(calls).toBe(0)
  vi.advanceTimersByTime(101)
  expect(calls).toBe(1)
  vi.advanceTimersByTime(5000)
  expect(calls).toBe(1)
})

it('counts from the current time after a period without watched objects', () => {
  const deadlines = new Deadlines(100)
  const watched = { deadlineMs: Infinity, onDeadline: vi.fn<() => void>() }
  vi.advanceTimersByTime(60_000)
  watched.deadlineMs = deadlines.in(500)
  deadlines.watch(watched)
  vi.advanceTimersByTime(400)
  expect(watched.onDeadline).not.toHaveBeenCalled()
  vi.advanceTimersByTime(200)
  expect(watched.onDeadline).toHaveBeenCalledOnce()
})

it('runs no timer without watched objects', () => {
  const deadlines = new Deadlines(100)
  const watched = { deadlineMs: Infinity, onDeadline: () => {} }
  expect(vi.getTimerCount()).toBe(0)
  deadlines.watch(watched)
  expect(vi.getTimerCount()).toBe(1)
  deadlines.unwatch(watched)
  expect(vi.getTimerCount()).toBe(0)
})

describe('a timer tick after the event loop was blocked', () => {
  const TICK_MS = 100
  let nowMs = 0
  let calls = 0

  function watch(): void {
    nowMs = 0
    calls = 0
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setImmediate'] })
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    onTestFinished(() => void vi.restoreAllMocks())
    const deadlines = new Deadlines(TICK_MS)
    deadlines.watch({ deadlineMs: deadlines.in(150), onDeadline: () => calls++ })
  }

  /** Runs the next tick this many milliseconds after the previous one. */
  function tickAfter(ms: number): void {
    nowMs += ms
    vi.advanceTimersByTime(TICK_MS)
    // The event-loop turns that follow the tick.
    for (let turn = 0; turn < 3; turn++) vi.advanceTimersByTime(1)
  }

  it('gives clients one more tick to send', () => {
    watch()
    tickAfter(TICK_MS)
    tickAfter(5000)
    expect(calls).toBe(0)
    tickAfter(TICK_MS)
    expect(calls).toBe(1)
  })

  it('does not skip a second tick in a row', () => {
    watch()
    tickAfter(5000)
    expect(calls).toBe(0)
    tickAfter(5000)
    expect(calls).toBe(1)
  })
})

it('calls onDeadline after the bytes that arrived while the event loop was blocked', async () => {
  vi.useRealTimers()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const peer = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const connected = once(peer, 'connect')
  const [socket] = (await once(server, 'connection')) as [Socket]
  await connected
  const order: string[] = []
  socket.on('data', () => order.push('data'))
  const deadlines = new Deadlines(10)
  deadlines.watch({ deadlineMs: deadlines.in(50), onDeadline: () => order.push('deadline') })
  peer.write('x')
  for (const until = performance.now() + 100; performance.now() < until;);
  await expect.poll(() => order).toHaveLength(2)
  expect(order).toEqual(['data', 'deadline'])
  peer.destroy()
  server.close()
})

it('treats 0 as no limit', () => {
  expect(new Deadlines().in(0)).toBe(Infinity)
})
