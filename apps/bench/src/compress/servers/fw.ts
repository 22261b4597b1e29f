import { compress } from '@fw/compress'
import { Server } from '@fw/core'
import * as log from '@fw/log'
import { ready } from '../../server-program.ts'
import { JSON_BODY, LEVELS } from '../json-body.ts'

log.setLevel(log.Level.Warn)
const server = new Server()
const router = server.router().use(compress({ levels: LEVELS }))
router.get('/', (ctx) => ctx.text(JSON_BODY, { headers: { 'content-type': 'application/json' } }))
const { port } = await server.listen({ port: 0, host: '127.0.0.1' })
ready(Number(port))
