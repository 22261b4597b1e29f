import { describe, expect, it } from 'vitest'
import { hashPassword, verifyPassword } from './password.ts'

describe('hashPassword() and verifyPassword()', () => {
  it('accepts only the password of a hash', async () => {
    const hash = await hashPassword('correct horse')
    expect(await verifyPassword('correct horse', hash)).toBe(true)
    for (const other of ['', 'correct hors', 'Correct horse', 'correct horse ']) {
      expect(await verifyPassword(other, hash)).toBe(false)
    }
  })

  it('uses a new salt for each hash', async () => {
    expect(await hashPassword('a')).not.toBe(await hashPassword('a'))
  })

  it('verifies a hash from another implementation', async () => {
    // A test vector from the reference implementation of Argon2id.
    const hash = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
    expect(await verifyPassword('password', hash)).toBe(true)
    expect(await verifyPassword('passwore', hash)).toBe(false)
  })

  it('treats two encodings of the same characters as one password', async () => {
    expect(await verifyPassword('e\u0301', await hashPassword('\u00e9'))).toBe(true)
  })

  it('computes many hashes at the same time', async () => {
    const hash = await hashPassword('a')
    const checks = Array.from({ length: 8 }, (_, i) => verifyPassword(i % 2 === 0 ? 'a' : 'b', hash))
    expect(await Promise.all(checks)).toEqual([true, false, true, false, true, false, true, false])
  })

  it('rejects with 503 if maxWaiting passwords are already waiting', async () => {
    const calls = Array.from({ length: 5 }, () => hashPassword('a', { maxWaiting: 2 }))
    const results = await Promise.allSettled(calls)
    expect(results.map(({ status }) => status)).toEqual([...Array<string>(4).fill('fulfilled'), 'rejected'])
    const error = { status: 503, code: 'FW_TOO_MANY_PASSWORDS', headers: { 'retry-after': '1' } }
    await expect(calls[4]).rejects.toMatchObject(error)
    expect(await verifyPassword('a', await hashPassword('a', { maxWaiting: 0 }), { maxWaiting: 0 })).toBe(true)
  })

  it('returns false without a hash', async () => {
    expect(await verifyPassword('correct horse', undefined)).toBe(false)
    expect(await verifyPassword('correct horse', null)).toBe(false)
  })

  it.each([
    '',
    'x',
    '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    '$2b$10$abc',
  ])('refuses the hash %j', async (hash) => {
    await expect(verifyPassword('a', hash)).rejects.toThrow('verifyPassword: hash must be an Argon2id hash.')
  })

  it.each([undefined, 5, null])('refuses the password %j', async (password) => {
    await expect(hashPassword(password as never)).rejects.toThrow('password must be a string, got')
  })
})
