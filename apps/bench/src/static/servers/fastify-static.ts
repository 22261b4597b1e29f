import fastifyStatic from '@fastify/static'
import { fastify } from 'fastify'
import { portOf, ready, serverSetup } from '../../server-program.ts'

const { directory = '.' } = serverSetup()
const app = fastify()
await app.register(fastifyStatic, { root: directory, preCompressed: true })
await app.listen({ port: 0, host: '127.0.0.1' })
ready(portOf(app.server))
