import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Lowest port to return. It is below the ephemeral port range, whose ports the kernel gives to sockets that bind to
 * port 0.
 */
const FIRST_PORT = 20_000
const LAST_PORT = 32_000

/** Returns a port on 127.0.0.1 that no TCP or UDP socket uses, outside the ephemeral range. */
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
    // Another socket uses the port.
    return false
  } finally {
    socket.close()
    await new Promise((resolve) => server.close(resolve))
  }
}
