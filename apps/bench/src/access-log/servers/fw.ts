import { accessLog, AccessLogFormat } from '@fw/access-log'
import { Server } from '@fw/core'
import * as log from '@fw/log'
import type { Started } from '../candidates.ts'

export async function start(logPath: string, form: string | undefined): Promise<Started> {
  const sinks = form === undefined ? [] : [new log.FileSink(logPath)]
  log.init({ async: form !== undefined && form !== 'combined-sync', sinks })
  const server = new Server()
  const router = server.router()
  if (form !== undefined) {
    router.use(accessLog({ format: form === 'json' ? AccessLogFormat.Json : AccessLogFormat.Combined }))
  }
  router.get('/users/:id', () => 'hello world')
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(url.port), stop: () => log.shutdown() }
}
