import { Server } from '@fw/core'
import * as log from '@fw/log'

log.setLevel(log.Level.Warn)
const server = new Server()
server.router().get('/', () => 'hello world')
const { port } = await server.listen({ port: 0, host: '127.0.0.1' })
process.send?.({ port })
