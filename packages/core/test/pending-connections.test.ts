import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startServer } from './programs/run.ts'

/** How many of so many connections the operating system takes for a process that accepts none. */
async function connectionsTaken(port: number, count: number): Promise<number> {
  let taken = 0
  const sockets: Socket[] = Array.from({ length: count }, () =>
    connect(port, '127.0.0.1', () => taken++).on('error', () => {}),
  )
  await sleep(500)
  for (const socket of sockets) socket.destroy()
  return taken
}

it('as many connections as maxPendingConnections says wait for a process that is busy', async () => {
  await using server = await startServer({ limits: { maxPendingConnections: 4 } }, { host: '127.0.0.1', port: 0 })
  const { port = 0 } = server.started
  server.child.kill('SIGSTOP')
  // Linux takes one more than it was told.
  expect(await connectionsTaken(port, 20)).toBeLessThanOrEqual(5)
  server.child.kill('SIGCONT')
  await expect.poll(async () => (await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200)
})

it('a busy process loses none of a thousand connections, where the machine lets so many wait', async () => {
  await using server = await startServer({}, { host: '127.0.0.1', port: 0 })
  const { port = 0 } = server.started
  server.child.kill('SIGSTOP')
  const most = Number(await readFile('/proc/sys/net/core/somaxconn', 'utf8'))
  expect(await connectionsTaken(port, 1000)).toBe(Math.min(1000, most + 1))
  server.child.kill('SIGCONT')
})
