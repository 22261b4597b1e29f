import { constants } from 'node:zlib'
import fastifyCompress from '@fastify/compress'
import { fastify } from 'fastify'
import { portOf, ready } from '../../server-program.ts'
import { JSON_BODY, LEVELS } from '../json-body.ts'

const app = fastify()
await app.register(fastifyCompress, {
  zlibOptions: { level: LEVELS.gzip },
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: LEVELS.br } },
})
app.get('/', (_request, reply) => reply.type('application/json').send(JSON_BODY))
await app.listen({ port: 0, host: '127.0.0.1' })
ready(portOf(app.server))
