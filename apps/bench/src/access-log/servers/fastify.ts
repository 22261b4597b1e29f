import { fastify } from 'fastify'
import { destination } from 'pino'
import { portOf, ready, serverSetup } from '../../server-program.ts'

const { form, accessLogFile = '' } = serverSetup()
const stream = form === undefined ? undefined : destination({ dest: accessLogFile, sync: false, minLength: 4096 })
const app = fastify(stream === undefined ? {} : { logger: { stream } })
app.get('/users/:id', (_request, reply) => reply.type('text/plain; charset=utf-8').send('hello world'))
await app.listen({ port: 0, host: '127.0.0.1' })
ready(portOf(app.server), () => stream?.flushSync())
