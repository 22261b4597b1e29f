import { describe, expect, it } from 'vitest'
import { mintRetryToken, openRetryToken } from './retry-token.ts'

const secret = Buffer.alloc(32, 1)
const client = { address: '192.0.2.1', port: 4433 }
const originalId = Buffer.from('original')
const retryId = Buffer.alloc(20, 7)
const nowMs = 1_800_000_000_000
const token = mintRetryToken(secret, client, nowMs, originalId, retryId)

describe('openRetryToken', () => {
  it.each([0, 1, 10_000])('returns the original connection ID %i ms later', (ageMs) => {
    expect(openRetryToken(secret, client, nowMs + ageMs, token, retryId)).toEqual(originalId)
  })

  it.each<[string, () => Buffer | undefined]>([
    ['older than ten seconds', () => openRetryToken(secret, client, nowMs + 10_001, token, retryId)],
    ['from the future', () => openRetryToken(secret, client, nowMs - 1, token, retryId)],
    [
      'from a different address',
      () => openRetryToken(secret, { ...client, address: '192.0.2.2' }, nowMs, token, retryId),
    ],
    ['from another port', () => openRetryToken(secret, { ...client, port: 4434 }, nowMs, token, retryId)],
    ['with another connection ID', () => openRetryToken(secret, client, nowMs, token, Buffer.alloc(20, 8))],
    ['of another server', () => openRetryToken(Buffer.alloc(32, 2), client, nowMs, token, retryId)],
    ['that is truncated', () => openRetryToken(secret, client, nowMs, token.subarray(0, 37), retryId)],
    ['that is empty', () => openRetryToken(secret, client, nowMs, Buffer.alloc(0), retryId)],
  ])('rejects a token %s', (_when, open) => {
    expect(open()).toBeUndefined()
  })

  it('rejects a token with any single bit changed', () => {
    for (let at = 0; at < token.length; at++) {
      const forged = Buffer.from(token)
      forged[at] = (forged[at] ?? 0) ^ 1
      expect(openRetryToken(secret, client, nowMs, forged, retryId)).toBeUndefined()
    }
  })
})
