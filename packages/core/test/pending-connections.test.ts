import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { settle } from '@fw/testing'
import { expect, it, vi } from 'vitest'
import { startServer } from './programs/run.ts'

/** How many of so many connections the operating system takes for a process that accepts none, once it took those due. */
async function connectionsTaken(port: number, count: number, due: number): Promise<number> {
  let taken = 0
  const sockets: Socket[] = Array.from({ length: count }, () =>
    connect(port, '127.0.0.1', () => taken++).on('error', () => {}),
  )
  // A thousand take a busy machine a while; more than are due come at once or never.
  await vi.waitUntil(() => taken >= due, { timeout: 30_000 })
  await settle(500)
  for (const socket of sockets) socket.destroy()
  return taken
}

it('as many connections as maxPendingConnections says wait for a process that is busy', async () => {
  await using server = await startServer({ limits: { maxPendingConnections: 4 } }, { host: '127.0.0.1', port: 0 })
  const { port = 0 } = server.started
  server.child.kill('SIGSTOP')
  // Linux takes one more than it was told.
  expect(await connectionsTaken(port, 20, 4)).toBeLessThanOrEqual(5)
  server.child.kill('SIGCONT')
  await expect.poll(async () => (await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200)
})

it('a busy process loses none of a thousand connections, where the machine lets so many wait', async () => {
  await using server = await startServer({}, { host: '127.0.0.1', port: 0 })
  const { port = 0 } = server.started
  server.child.kill('SIGSTOP')
  const most = Number(await readFile('/proc/sys/net/core/somaxconn', 'utf8'))
  const due = Math.min(1000, most + 1)
  expect(await connectionsTaken(port, 1000, due)).toBe(due)
  server.child.kill('SIGCONT')
})
