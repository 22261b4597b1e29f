import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { ResponseBatch } from './response-batch.ts'

describe('responses of several connections', () => {
  it('leave together, in order, at the end of the turn', async () => {
    const batch = new ResponseBatch()
    const released: string[] = []
    for (const name of ['a', 'b', 'c']) batch.add({ release: () => released.push(name) })
    await Promise.resolve()
    expect(released).toEqual([])
    await setImmediate()
    expect(released).toEqual(['a', 'b', 'c'])
  })

  it('leave in every turn', async () => {
    const batch = new ResponseBatch()
    const released: number[] = []
    for (const number of [1, 2, 3]) {
      batch.add({ release: () => released.push(number) })
      await setImmediate()
    }
    expect(released).toEqual([1, 2, 3])
  })

  it('do not wait for handlers that take long', () => {
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

  it('leave though a release throws, which is told', async () => {
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

  it('leave outside of the asynchronous context of any request', async () => {
    const batch = new ResponseBatch()
    const user = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    for (const name of ['a', 'b']) user.run(name, () => batch.add({ release: () => seen.push(user.getStore()) }))
    await setImmediate()
    expect(seen).toEqual([undefined, undefined])
  })

  it('leave when a release makes another response', async () => {
    const batch = new ResponseBatch()
    const released: string[] = []
    batch.add({ release: () => batch.add({ release: () => released.push('late') }) })
    await setImmediate()
    await setImmediate()
    expect(released).toEqual(['late'])
  })
})
