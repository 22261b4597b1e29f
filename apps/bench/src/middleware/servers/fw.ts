import { Server } from '@fw/core'
import * as log from '@fw/log'
import { fromNode } from '@fw/node-middleware'
import helmet from 'helmet'
import { ready, serverSetup } from '../../server-program.ts'

log.init({ level: log.Level.Warn })
const server = new Server({ trustProxy: false })
const router = server.router()
if (serverSetup().form === 'helmet') router.use(fromNode(helmet()))
router.get('/', () => 'hello world')
const { port } = await server.listen({ port: 0, host: '127.0.0.1' })
ready(Number(port), () => log.shutdown())
