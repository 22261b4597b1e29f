import { accessLog } from '@fw/access-log'
import { Server } from '@fw/core'
import * as log from '@fw/log'
import { filesOf, otherPatterns, ready, serverSetup } from '../../server-program.ts'

const setup = serverSetup()
const logged = setup.accessLogFile
log.init(logged === undefined ? { level: log.Level.Warn } : { async: true, sinks: [new log.FileSink(logged)] })
const http3 = setup.form === 'http3'
const limits = setup.idleMs === undefined ? {} : { keepAliveTimeoutMs: setup.idleMs }
const server = new Server({ limits, trustProxy: false, ...(setup.tls === undefined ? {} : { tls: setup.tls, http3 }) })
const router = server.router()
if (logged !== undefined) router.use(accessLog())
for (const pattern of otherPatterns(setup)) router.get(pattern, () => 'another')
router.get('/', () => 'hello world')
router.get('/users/:id', (ctx) => ({ id: ctx.params.id, name: 'Ada' }))
router.post('/echo', (ctx) => ctx.json())
for (const [name, content] of filesOf(setup)) router.get(`/${name}`, (ctx) => ctx.bytes(content))
const { port } = await server.listen({ port: 0, host: '127.0.0.1' })
ready(Number(port), () => log.shutdown())
