import { accessLog, AccessLogFormat } from '@fw/access-log'
import { Server } from '@fw/core'
import * as log from '@fw/log'
import { ready, serverSetup } from '../../server-program.ts'

const { form, accessLogFile } = serverSetup()
const sinks = form === undefined || accessLogFile === undefined ? [] : [new log.FileSink(accessLogFile)]
log.init({ async: form !== undefined && form !== 'combined-sync', sinks })
const server = new Server({ trustProxy: false })
const router = server.router()
if (form !== undefined) {
  router.use(accessLog({ format: form === 'json' ? AccessLogFormat.Json : AccessLogFormat.Combined }))
}
router.get('/users/:id', () => 'hello world')
const { port } = await server.listen({ port: 0, host: '127.0.0.1' })
ready(Number(port), () => log.shutdown())
