import { describe, expect, it } from 'vitest'
import type { SessionStore, StoredSession } from '../src/index.ts'

interface Opened {
  readonly store: SessionStore
  close(): Promise<void>
}

function sessionOf(version: number, json: string, lifeMs: number = 60_000): StoredSession {
  const createdAtMs = Date.now()
  return { version, json, createdAtMs, expiresAtMs: createdAtMs + lifeMs }
}

/** Runs the tests that every store must pass. */
export function storeContract(name: string, open: () => Promise<Opened>): void {
  const withStore = (test: (store: SessionStore) => Promise<void>) => async () => {
    const opened = await open()
    try {
      await test(opened.store)
    } finally {
      await opened.close()
    }
  }

  describe(`${name} as a store`, () => {
    it(
      'returns a stored session',
      withStore(async (store) => {
        expect(await store.read('a')).toBeUndefined()
        const stored = sessionOf(1, '{"text":"é\\u0000"}')
        await store.create('a', stored)
        const found = await store.read('a')
        expect(found).toMatchObject({ version: 1, json: stored.json, createdAtMs: stored.createdAtMs })
        // A store can measure the remaining time with its own clock.
        expect(Math.abs((found?.expiresAtMs ?? 0) - stored.expiresAtMs)).toBeLessThan(50_000)
      }),
    )

    it(
      'replaces only the version that the caller read',
      withStore(async (store) => {
        await store.create('a', sessionOf(1, '{"n":1}'))
        expect(await store.replace('a', 1, sessionOf(2, '{"n":2}'))).toBe(true)
        expect(await store.replace('a', 1, sessionOf(2, '{"n":3}'))).toBe(false)
        expect(await store.read('a')).toMatchObject({ version: 2, json: '{"n":2}' })
      }),
    )

    it(
      'lets only one of many parallel replacements succeed',
      withStore(async (store) => {
        await store.create('a', sessionOf(1, '{}'))
        const numbers = Array.from({ length: 20 }, (_, at) => at)
        const results = await Promise.all(numbers.map((n) => store.replace('a', 1, sessionOf(2, `{"n":${n}}`))))
        expect(results.filter(Boolean)).toHaveLength(1)
        expect(await store.read('a')).toMatchObject({ json: `{"n":${results.indexOf(true)}}` })
      }),
    )

    it(
      'does not revive a deleted session',
      withStore(async (store) => {
        await store.create('a', sessionOf(1, '{}'))
        expect(await store.delete('a')).toBe(true)
        expect(await store.replace('a', 1, sessionOf(2, '{}'))).toBe(false)
        await store.touch('a', Date.now() + 60_000)
        expect(await store.read('a')).toBeUndefined()
        expect(await store.delete('a')).toBe(false)
      }),
    )

    it(
      'deletes only the version that the caller read',
      withStore(async (store) => {
        await store.create('a', sessionOf(3, '{}'))
        expect(await store.delete('a', 2)).toBe(false)
        expect(await store.read('a')).toBeDefined()
        expect(await store.delete('a', 3)).toBe(true)
        expect(await store.read('a')).toBeUndefined()
      }),
    )

    it(
      'does not return an expired session',
      withStore(async (store) => {
        await store.create('a', sessionOf(1, '{}', 1))
        while ((await store.read('a')) !== undefined) await new Promise((resolve) => void setTimeout(resolve, 2))
        expect(await store.replace('a', 1, sessionOf(2, '{}'))).toBe(false)
        expect(await store.delete('a')).toBe(false)
      }),
    )

    it(
      'changes the expiry without changing the version',
      withStore(async (store) => {
        await store.create('a', sessionOf(1, '{}', 10_000))
        const before = (await store.read('a'))?.expiresAtMs ?? 0
        await store.touch('a', Date.now() + 3_600_000)
        const after = await store.read('a')
        expect(after?.expiresAtMs).toBeGreaterThan(before + 1_000_000)
        expect(await store.replace('a', 1, sessionOf(2, '{}'))).toBe(true)
      }),
    )
  })
}
