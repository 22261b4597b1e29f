import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that systems give by themselves, so that nobody else comes to have the port by chance meanwhile. */
const FIRST_PORT = 20_000
const LAST_PORT = 32_000

/** A port of 127.0.0.1 that nobody uses, neither for TCP nor for UDP, and that is not given to those who ask for any. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT))
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const socket = createSocket('udp4')
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    await once(socket.bind(port, '127.0.0.1'), 'listening')
    return true
  } catch {
    // Somebody has it; which of the two, and why, does not matter.
    return false
  } finally {
    socket.close()
    await new Promise((resolve) => server.close(resolve))
  }
}
