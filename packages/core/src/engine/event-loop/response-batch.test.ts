import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { ResponseBatch } from './response-batch.ts'

describe('ResponseBatch', () => {
  it('sends the responses on several connections in order at the end of the turn', async () => {
    const batch = new ResponseBatch()
    const released: string[] = []
    for (const name of ['a', 'b', 'c']) batch.add({ release: () => released.push(name) })
    await Promise.resolve()
    expect(released).toEqual([])
    await setImmediate()
    expect(released).toEqual(['a', 'b', 'c'])
  })

  it('sends responses in every turn', async () => {
    const batch = new ResponseBatch()
    const released: number[] = []
    for (const number of [1, 2, 3]) {
      batch.add({ release: () => released.push(number) })
      await setImmediate()
    }
    expect(released).toEqual([1, 2, 3])
  })

  it('sends responses that have waited more than 0.5 ms before the next handler runs', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const batch = new ResponseBatch()
      const released: string[] = []
      batch.add({ release: () => released.push('a') })
      vi.advanceTimersByTime(0.5)
      batch.beforeHandler()
      expect(released).toEqual([])
      vi.advanceTimersByTime(0.5)
      batch.beforeHandler()
      expect(released).toEqual(['a'])
    } finally {
      vi.useRealTimers()
    }
  })

  it('sends the other responses and emits a warning if a release throws', async () => {
    const batch = new ResponseBatch()
    const released: string[] = []
    batch.add({
      release: () => {
        throw new Error('wrapped')
      },
    })
    batch.add({ release: () => released.push('b') })
    const [warning] = (await once(process, 'warning')) as [Error]
    expect(warning.message).toBe('wrapped')
    expect(released).toEqual(['b'])
  })

  it('releases outside the asynchronous context of any request', async () => {
    const batch = new ResponseBatch()
    const user = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    for (const name of ['a', 'b']) user.run(name, () => batch.add({ release: () => seen.push(user.getStore()) }))
    await setImmediate()
    expect(seen).toEqual([undefined, undefined])
  })

  it('sends a response that is added during a release', async () => {
    const batch = new ResponseBatch()
    const released: string[] = []
    batch.add({ release: () => batch.add({ release: () => released.push('late') }) })
    await setImmediate()
    await setImmediate()
    expect(released).toEqual(['late'])
  })
})
