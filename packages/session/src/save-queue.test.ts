import { describe, expect, it } from 'vitest'
import { SaveQueue } from './save-queue.ts'
import type { StoredSession } from './session-store.ts'

function version(number: number): StoredSession {
  return { version: number, json: '{}', createdAtMs: 0, expiresAtMs: 1000 }
}

describe('SaveQueue', () => {
  it('runs the saves of one key in order and passes each result to the next one', async () => {
    const queue = new SaveQueue()
    const seen: unknown[] = []
    let running = 0
    const save = async (stored: StoredSession | undefined): Promise<StoredSession> => {
      expect(++running).toBe(1)
      await new Promise(setImmediate)
      running--
      seen.push(stored?.version)
      return version((stored?.version ?? 0) + 1)
    }
    await Promise.all([queue.run('a', save), queue.run('a', save), queue.run('a', save)])
    expect(seen).toEqual([undefined, 1, 2])
  })

  it('runs the saves of different keys in parallel', async () => {
    const queue = new SaveQueue()
    const never = queue.run('a', () => new Promise(() => {}))
    await queue.run('b', async () => undefined)
    expect(await Promise.race([never, Promise.resolve('waiting')])).toBe('waiting')
  })

  it('continues without a result after a failed save', async () => {
    const queue = new SaveQueue()
    const first = queue.run('a', async () => version(1))
    const second = queue.run('a', () => Promise.reject(new Error('down')))
    const seen: unknown[] = []
    const third = queue.run('a', async (stored) => {
      seen.push(stored)
      return undefined
    })
    await expect(second).rejects.toThrow('down')
    await Promise.all([first, third])
    expect(seen).toEqual([undefined])
  })

  it('keeps no state after the last save of a key', async () => {
    const queue = new SaveQueue()
    const saves = [queue.run('a', async () => version(1)), queue.run('a', () => Promise.reject(new Error('down')))]
    expect(queue.size).toBe(1)
    await Promise.allSettled(saves)
    expect(queue.size).toBe(0)
  })
})
