import { readFileSync } from 'node:fs'
import { fastify, type FastifyInstance } from 'fastify'
import { destination } from 'pino'
import { otherPatterns, portOf, ready, serverSetup } from '../../server-program.ts'

const setup = serverSetup()
const { tls, accessLogFile } = setup
const stream =
  accessLogFile === undefined ? undefined : destination({ dest: accessLogFile, sync: false, minLength: 4096 })
const app = fastify({
  ...(stream === undefined ? {} : { logger: { stream } }),
  ...(tls === undefined ? {} : { https: { key: readFileSync(tls.keyFile), cert: readFileSync(tls.certFile) } }),
}) as FastifyInstance
for (const pattern of otherPatterns(setup)) app.get(pattern, () => 'another')
app.get('/', (_request, reply) => reply.type('text/plain; charset=utf-8').send('hello world'))
app.get<{ Params: { id: string } }>('/users/:id', ({ params }) => ({ id: params.id, name: 'Ada' }))
app.post('/echo', ({ body }) => body)
await app.listen({ port: 0, host: '127.0.0.1', backlog: 4096 })
ready(portOf(app.server), () => stream?.flushSync())
