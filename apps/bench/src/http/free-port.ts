import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { START_TIMEOUT_MS } from '../server-process.ts'

/** Lowest port to return. It is below the ephemeral port range, whose ports the kernel gives to other processes. */
const FIRST_PORT = 3000
const PORTS = 7000

const used = new Set<number>()

/** Returns a free port on 127.0.0.1, a different one on each call. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS)
    if (used.has(port)) continue
    used.add(port)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    await once(server.close(), 'close')
    return port
  }
}

/**
 * Starts a server on a free port. Retries with another port, because another process can bind the port first.
 *
 * @throws {Error} the error from the third attempt
 */
export async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await start(await freePort())
    } catch (error) {
      if (tries === 3) throw error
    }
  }
}

/** Opens and closes a connection. @throws {Error} if no server is listening */
export async function connectOnce(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.destroy()
}

/** Repeats `attempt` until it succeeds. @throws {Error} the last error, after `START_TIMEOUT_MS` */
export async function untilItSucceeds(attempt: () => Promise<unknown>): Promise<void> {
  const giveUp = performance.now() + START_TIMEOUT_MS
  for (;;) {
    try {
      await attempt()
      return
    } catch (error) {
      if (performance.now() > giveUp) throw error
      await delay(20)
    }
  }
}
