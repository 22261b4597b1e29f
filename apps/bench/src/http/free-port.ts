import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { START_TIMEOUT_MS } from '../server-process.ts'

/** Below those that systems give by themselves: nobody else, who would then be taken for the server, gets one meanwhile. */
const FIRST_PORT = 3000
const PORTS = 7000

const given = new Set<number>()

/** A port of 127.0.0.1 that nobody listens on, and that is given once. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS)
    if (given.has(port)) continue
    given.add(port)
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
 * Starts a server that has to be told its port, again if somebody else took the port in between.
 *
 * @throws {Error} of the last of three tries
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

/** @throws {Error} if nobody listens */
export async function connectOnce(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.destroy()
}

/** Tries again and again. @throws {Error} of the last try, after as long as a server may take to start */
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
