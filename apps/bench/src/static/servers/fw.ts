import { Server } from '@fw/core'
import * as log from '@fw/log'
import { staticFiles } from '@fw/static'

log.setLevel(log.Level.Warn)
const server = new Server()
staticFiles(server.router(), '/', process.argv[2] ?? '.')
const { port } = await server.listen({ port: 0, host: '127.0.0.1' })
process.send?.({ port })
