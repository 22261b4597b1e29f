import { readFileSync } from 'node:fs'
import { fastify, type FastifyInstance } from 'fastify'
import { portOf, ready, serverSetup } from '../../server-program.ts'

const { tls } = serverSetup()
const secure = tls === undefined ? {} : { https: { key: readFileSync(tls.keyFile), cert: readFileSync(tls.certFile) } }
const app = fastify({ http2: true, ...secure } as object) as FastifyInstance
app.get('/', (_request, reply) => reply.type('text/plain; charset=utf-8').send('hello world'))
app.get<{ Params: { id: string } }>('/users/:id', ({ params }) => ({ id: params.id, name: 'Ada' }))
app.post('/echo', ({ body }) => body)
await app.listen({ port: 0, host: '127.0.0.1' })
ready(portOf(app.server))
