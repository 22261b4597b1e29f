import { describe, expect, it, vi } from 'vitest'
import { ask, serveBody } from './raw-acts.ts'

describe('a returning client', () => {
  it('resumes its session, but cannot send early data, which can be replayed (RFC 9001 §9.2)', async () => {
    await using server = await serveBody()
    const first = await server.connect()
    expect(await ask(first, 'first')).toBe('first')
    await vi.waitFor(() => expect(first.connection.session).toBeDefined())
    const again = await server.connect({ session: first.connection.session })
    expect(again.connection.resumption).toEqual({ isResumed: true, couldSendEarly: false })
    expect(await ask(again, 'again')).toBe('again')
  })
})
