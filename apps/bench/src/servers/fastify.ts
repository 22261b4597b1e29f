import { fastify } from 'fastify'
import type { AddressInfo } from 'node:net'

const app = fastify()
app.get('/', (_request, reply) => reply.type('text/plain; charset=utf-8').send('hello world'))
await app.listen({ port: 0, host: '127.0.0.1' })
process.send?.({ port: (app.server.address() as AddressInfo).port })
