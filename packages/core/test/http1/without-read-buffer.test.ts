import { describe, expect, it, vi } from 'vitest'

const calls = vi.hoisted(() => ({ count: 0 }))
// Simulate a Node.js version without the private members: every connection must work as a plain stream.
vi.mock(import('../../src/engine/socket/node-read-buffer.ts'), () => ({
  readInto() {
    calls.count++
    return false
  },
}))

describe('a server on a Node.js version without private read buffers', async () => {
  await import('../../src/http1/connection.test.ts')
  await import('./in-handler.test.ts')
  await import('./endings.test.ts')
  await import('../websocket.test.ts')

  it('tries to read its connections into a shared buffer', () => {
    expect(calls.count).toBeGreaterThan(0)
  })
})
