import { constants } from 'node:zlib'
import Koa from 'koa'
import compress from 'koa-compress'
import { portOf, ready } from '../../server-program.ts'
import { JSON_BODY, LEVELS } from '../json-body.ts'

const app = new Koa()
app.use(
  compress({
    gzip: { level: LEVELS.gzip },
    br: { params: { [constants.BROTLI_PARAM_QUALITY]: LEVELS.br } },
  }),
)
app.use((ctx) => {
  ctx.type = 'application/json'
  ctx.body = JSON_BODY
})
const server = app.listen(0, '127.0.0.1', () => ready(portOf(server)))
