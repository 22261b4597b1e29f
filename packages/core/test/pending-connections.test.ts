import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { settle } from '@fw/testing'
import { expect, it, vi } from 'vitest'
import { startServer } from './programs/run.ts'

/** Returns how many of `count` connections the kernel accepts for a stopped process. Waits until `due` of them are accepted. */
async function acceptedConnections(port: number, count: number, due: number): Promise<number> {
  let accepted = 0
  const sockets: Socket[] = Array.from({ length: count }, () =>
    connect(port, '127.0.0.1', () => accepted++).on('error', () => {}),
  )
  // A busy machine needs some time to accept a thousand connections. Connections beyond `due` are accepted immediately
  // or never.
  await vi.waitUntil(() => accepted >= due, { timeout: 30_000 })
  await settle(500)
  for (const socket of sockets) socket.destroy()
  return accepted
}

it('queues as many connections as maxPendingConnections allows for a stopped process', async () => {
  await using server = await startServer({ limits: { maxPendingConnections: 4 } }, { host: '127.0.0.1', port: 0 })
  const { port = 0 } = server.started
  server.child.kill('SIGSTOP')
  // Linux queues one more than configured.
  expect(await acceptedConnections(port, 20, 4)).toBeLessThanOrEqual(5)
  server.child.kill('SIGCONT')
  await expect.poll(async () => (await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200)
})

it('queues a thousand connections, or as many as the system allows, for a stopped process', async () => {
  await using server = await startServer({}, { host: '127.0.0.1', port: 0 })
  const { port = 0 } = server.started
  server.child.kill('SIGSTOP')
  const somaxconn = Number(await readFile('/proc/sys/net/core/somaxconn', 'utf8'))
  const due = Math.min(1000, somaxconn + 1)
  expect(await acceptedConnections(port, 1000, due)).toBe(due)
  server.child.kill('SIGCONT')
})
