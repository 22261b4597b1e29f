// Upper bound for staticFiles: the same responses from memory, without files.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Server } from '@fw/core'
import * as log from '@fw/log'
import { ready, serverSetup } from '../../server-program.ts'

const { directory = '.' } = serverSetup()
log.setLevel(log.Level.Warn)
const server = new Server()
for (const name of ['1k.css', '64k.css', '10m.bin']) {
  const body = readFileSync(join(directory, name))
  server.router().get(`/${name}`, (ctx) => {
    const headers = ctx.responseHeaders
    headers.set('etag', '"0x5e0b7d9d30a3e400-0x400"')
    headers.set('last-modified', 'Sat, 03 Feb 2024 04:05:06 GMT')
    if (ctx.headers.get('if-none-match') !== null) {
      ctx.empty(304)
      return
    }
    headers.set('content-type', 'text/css; charset=utf-8')
    headers.set('accept-ranges', 'bytes')
    headers.set('x-content-type-options', 'nosniff')
    ctx.bytes(body)
  })
}
const { port } = await server.listen({ port: 0, host: '127.0.0.1' })
ready(Number(port))
