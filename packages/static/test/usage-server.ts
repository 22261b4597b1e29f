// Serves one directory over every protocol and reports its memory use: node --expose-gc usage-server.ts <directory> [key and certificate as JSON]
import { readdirSync } from 'node:fs'
import { Server } from '@fw/core'
import * as log from '@fw/log'
import { staticFiles } from '../src/index.ts'

/** Returns the process's memory use after garbage collection. */
export interface Usage {
  readonly descriptors: number
  readonly rssMib: number
  /** Bytes of objects and buffers. */
  readonly heapMib: number
}

log.setLevel(log.Level.Warn)
const [directory = '.', tls] = process.argv.slice(2)
const server = new Server(
  tls === undefined ? {} : { tls: JSON.parse(tls) as { key: string; cert: string }, http3: true },
)
staticFiles(server.router(), '/', directory)
const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
const user = process.env['RUN_AS']
if (user !== undefined) {
  process.setgid?.(Number(user))
  process.setuid?.(Number(user))
}
process.send?.({ port: Number(url.port) })
process.on('message', () => {
  globalThis.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  const usage: Usage = {
    descriptors: readdirSync('/proc/self/fd').length,
    rssMib: Math.round(rss / 1024 / 1024),
    heapMib: Math.round((heapUsed + external) / 1024 / 1024),
  }
  process.send?.(usage)
})
process.on('disconnect', () => process.exit())
