import type { AddressInfo } from 'node:net'
import { fastify } from 'fastify'
import { destination } from 'pino'
import type { Started } from '../candidates.ts'

export async function start(logPath: string, form: string | undefined): Promise<Started> {
  const stream = form === undefined ? undefined : destination({ dest: logPath, sync: false, minLength: 4096 })
  const app = fastify(stream === undefined ? {} : { logger: { stream } })
  app.get('/users/:id', (_request, reply) => reply.type('text/plain; charset=utf-8').send('hello world'))
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { port: (app.server.address() as AddressInfo).port, stop: () => stream?.flushSync() }
}
