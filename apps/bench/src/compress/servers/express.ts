import { constants } from 'node:zlib'
import compression from 'compression'
import express from 'express'
import { portOf, ready } from '../../server-program.ts'
import { JSON_BODY, LEVELS } from '../json-body.ts'

const app = express()
// Its entity tag would cost CPU time that no other server spends.
app.set('etag', false)
app.use(
  compression({
    level: LEVELS.gzip,
    brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: LEVELS.br } },
  }),
)
app.get('/', (_request, response) => void response.type('application/json').send(JSON_BODY))
const server = app.listen(0, '127.0.0.1', () => ready(portOf(server)))
