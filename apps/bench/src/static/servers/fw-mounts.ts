import { Server } from '@fw/core'
import * as log from '@fw/log'
import { staticFiles } from '@fw/static'
import { ready, serverSetup } from '../../server-program.ts'

/** Number of mounts for the same directory. Each mount has a separate cache and makes separate stat calls. */
const MOUNTS = 3

const { directory = '.' } = serverSetup()
log.setLevel(log.Level.Warn)
const server = new Server()
server.router().get('/other', () => 'other')
for (let i = 0; i < MOUNTS; i++) staticFiles(server.router(), `/${i}`, directory)
const { port } = await server.listen({ port: 0, host: '127.0.0.1' })
ready(Number(port))
