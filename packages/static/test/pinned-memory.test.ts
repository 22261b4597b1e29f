// Clients that do not read hold what is sent to them. What they hold of files in memory is bounded, however many there are.
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
/** What the cache holds, what answers hold beside it, a buffer of a quarter of a MiB for each of the others, and some more. */
const LIMIT_MIB = 2 * CACHE_MIB + FILES / 4 + 20

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** What something still holds. */
function heldMib(): number {
  collectGarbage()
  return process.memoryUsage().arrayBuffers / MIB
}

it('clients that do not read make the memory for files no larger than twice the cache', async () => {
  await using folder = await tempFolder({})
  for (let i = 0; i < FILES; i++) {
    writeFileSync(folder.join(String(i)), '')
    truncateSync(folder.join(String(i)), MIB)
  }
  await delay(40)
  const server = new Server()
  staticFiles(server.router(), '/', folder.path, { maxCacheBytes: CACHE_MIB * MIB })
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  const client = await connect('h2c', { port: Number(url.port) })
  try {
    const before = heldMib()
    const responses = []
    for (let i = 0; i < FILES; i++) responses.push(await client.request({ path: `/${i}` }))
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: FILES }, () => 200))
    await delay(200)
    // What was thrown away is let go of a little later; what clients hold is not, as they do not read.
    await expect.poll(() => heldMib() - before).toBeLessThan(LIMIT_MIB)
    // Once they are gone, files are read into memory again.
    for (const response of responses) response.abort()
    await expect.poll(async () => (await (await client.request({ path: '/0' })).bytes()).byteLength).toBe(MIB)
  } finally {
    await client.close()
    await server.close({ drainMs: 0 })
  }
})
