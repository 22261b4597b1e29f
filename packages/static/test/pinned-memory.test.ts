// Responses to clients that do not read keep files in memory. Their total size is limited, regardless of the number of clients.
import { truncateSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Server } from '@fw/core'
import { connect, tempFolder } from '@fw/testing'
import { expect, it } from 'vitest'
import { staticFiles } from '../src/index.ts'

const MIB = 1024 * 1024
const FILES = 60
const CACHE_MIB = 4
/** The cache, the responses outside it, a buffer of 256 KiB for each other client, and a margin. */
const LIMIT_MIB = 2 * CACHE_MIB + FILES / 4 + 20

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Returns the MiB of buffers that remain after a garbage collection. */
function heldMib(): number {
  collectGarbage()
  return process.memoryUsage().arrayBuffers / MIB
}

it('uses at most twice the cache size for clients that do not read', async () => {
  await using folder = await tempFolder({})
  for (let i = 0; i < FILES; i++) {
    writeFileSync(folder.join(String(i)), '')
    truncateSync(folder.join(String(i)), MIB)
  }
  await delay(40)
  // All clients share a connection here. By default, later requests on this connection would wait.
  const server = new Server({ limits: { maxBufferedBytesPerConnection: 0 } })
  staticFiles(server.router(), '/', folder.path, { maxCacheBytes: CACHE_MIB * MIB })
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  const client = await connect('h2c', { port: Number(url.port) })
  try {
    const before = heldMib()
    const responses = []
    for (let i = 0; i < FILES; i++) responses.push(await client.request({ path: `/${i}` }))
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: FILES }, () => 200))
    await delay(200)
    // Memory of discarded files is freed a little later. The files of clients that do not read remain in memory.
    await expect.poll(() => heldMib() - before).toBeLessThan(LIMIT_MIB)
    // After they disconnect, files are loaded into memory again.
    for (const response of responses) response.abort()
    await expect.poll(async () => (await (await client.request({ path: '/0' })).bytes()).byteLength).toBe(MIB)
  } finally {
    await client.close()
    await server.close({ drainMs: 0 })
  }
})
