import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { portOf } from '../server-program.ts'

/** A port of 127.0.0.1 that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  server.close()
  return port
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

/** Tries again and again. @throws {Error} of the last try, after ten seconds */
export async function untilItSucceeds(attempt: () => Promise<unknown>): Promise<void> {
  const giveUp = performance.now() + 10_000
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
