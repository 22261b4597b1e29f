import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memorySessions } from './memory-sessions.ts'
import { storeContract } from '../test/store-contract.ts'
import type { StoredSession } from './session-store.ts'

storeContract('memorySessions()', async () => ({ store: memorySessions(), close: async () => {} }))

function until(expiresAtMs: number): StoredSession {
  return { version: 1, json: '{}', createdAtMs: 0, expiresAtMs }
}

describe('memorySessions()', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 0 }))
  afterEach(() => void vi.useRealTimers())

  it('deletes the least recently used session first', async () => {
    const store = memorySessions({ maxSessions: 2 })
    await store.create('a', until(1000))
    await store.create('b', until(1000))
    await store.touch('a', 1000)
    await store.create('c', until(1000))
    expect(await store.read('a')).toBeDefined()
    expect(await store.read('b')).toBeUndefined()
    expect(await store.read('c')).toBeDefined()
  })

  it('counts a read as a use', async () => {
    const store = memorySessions({ maxSessions: 2 })
    await store.create('a', until(1000))
    await store.create('b', until(1000))
    await store.read('a')
    await store.create('c', until(1000))
    expect(await store.read('a')).toBeDefined()
    expect(await store.read('b')).toBeUndefined()
  })

  it('deletes expired sessions first', async () => {
    const store = memorySessions({ maxSessions: 2 })
    await store.create('a', until(10))
    await store.create('b', until(1000))
    vi.setSystemTime(10)
    await store.create('c', until(1000))
    expect(await store.read('b')).toBeDefined()
    expect(await store.read('c')).toBeDefined()
  })

  it.each([0, 1.5, '3'])('refuses maxSessions: %j', (maxSessions) => {
    const message = 'memorySessions: option "maxSessions" must be a positive integer'
    expect(() => memorySessions({ maxSessions: maxSessions as number })).toThrow(message)
  })
})
