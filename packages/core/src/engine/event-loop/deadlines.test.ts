import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Deadlines } from './deadlines.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('calls back once, never early, at most a tick late', () => {
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

it('counts from now, however long nothing was watched', () => {
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

it('runs no timer while nothing is watched', () => {
  const deadlines = new Deadlines(100)
  const watched = { deadlineMs: Infinity, onDeadline: () => {} }
  expect(vi.getTimerCount()).toBe(0)
  deadlines.watch(watched)
  expect(vi.getTimerCount()).toBe(1)
  deadlines.unwatch(watched)
  expect(vi.getTimerCount()).toBe(0)
})

describe('after the process stood still', () => {
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

  /** The next tick comes so long after the last one. */
  function tickAfter(ms: number): void {
    nowMs += ms
    vi.advanceTimersByTime(TICK_MS)
    // The turns of the event loop behind it.
    for (let turn = 0; turn < 3; turn++) vi.advanceTimersByTime(1)
  }

  it('clients have another tick to send what they waited with', () => {
    watch()
    tickAfter(TICK_MS)
    tickAfter(5000)
    expect(calls).toBe(0)
    tickAfter(TICK_MS)
    expect(calls).toBe(1)
  })

  it('and does again and again, they have no more than that', () => {
    watch()
    tickAfter(5000)
    expect(calls).toBe(0)
    tickAfter(5000)
    expect(calls).toBe(1)
  })
})

it('comes after what was received while the event loop stood still', async () => {
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

it('takes 0 for no limit', () => {
  expect(new Deadlines().in(0)).toBe(Infinity)
})
