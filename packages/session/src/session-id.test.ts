import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { newSessionId, storeKeyOf } from './session-id.ts'

describe('newSessionId()', () => {
  it('returns a new ID of 32 bytes each time, with the SHA-256 hash of its text', () => {
    const made = Array.from({ length: 100 }, newSessionId)
    expect(new Set(made.map(({ id }) => id)).size).toBe(100)
    for (const { id, key } of made) {
      expect(Buffer.from(id, 'base64url')).toHaveLength(32)
      expect(key).toBe(createHash('sha256').update(id).digest('base64url'))
      expect(storeKeyOf(id)).toBe(key)
    }
  })
})

describe('storeKeyOf()', () => {
  it.each(['', 'a', 'A'.repeat(42), 'A'.repeat(44), `${'A'.repeat(42)}+`, `${'A'.repeat(43)}\n`])(
    'ignores %j',
    (id) => {
      expect(storeKeyOf(id)).toBeUndefined()
    },
  )
})
