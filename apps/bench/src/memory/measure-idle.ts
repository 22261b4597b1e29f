import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Measurement } from '../comparison.ts'
import type { ServerProcess } from '../server-process.ts'

/** Number of connections that are opened concurrently. */
const OPENING = 100
const REQUEST = 'GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'

/**
 * Measures the resident memory per idle connection, after garbage collections.
 *
 * @throws {Error} if the server closes a connection
 */
export async function measureIdle(server: ServerProcess, connections: number): Promise<Measurement> {
  const sockets: Socket[] = []
  try {
    // The first connections also cause code to be loaded, which is not a cost per connection.
    await open(server, sockets, OPENING)
    const before = await collectedRss(server)
    while (sockets.length < connections + OPENING) await open(server, sockets, OPENING)
    const after = await collectedRss(server)
    if (sockets.some((socket) => socket.closed || socket.readableEnded))
      throw new Error('The server closed idle connections')
    return { connectionKib: (after - before) / connections / 1024 }
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

/** Opens connections and waits for one response on each. */
async function open(server: ServerProcess, sockets: Socket[], count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(server.port, '127.0.0.1')
      sockets.push(socket)
      socket.write(REQUEST)
      await once(socket, 'data')
    }),
  )
}

async function collectedRss(server: ServerProcess): Promise<number> {
  server.notify('collect')
  // The reply arrives after the garbage collection.
  await server.ask('cpu')
  await delay(200)
  return (await server.usage()).rssBytes
}
