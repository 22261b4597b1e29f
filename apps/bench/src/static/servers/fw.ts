import { Server } from '@fw/core'
import * as log from '@fw/log'
import { staticFiles } from '@fw/static'
import { ready, serverSetup } from '../../server-program.ts'

const { directory = '.' } = serverSetup()
log.setLevel(log.Level.Warn)
const server = new Server()
staticFiles(server.router(), '/', directory)
const { port } = await server.listen({ port: 0, host: '127.0.0.1' })
ready(Number(port))
