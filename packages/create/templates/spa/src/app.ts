import { accessLog } from '@fw/access-log'
import { Server } from '@fw/core'
import { staticFiles } from '@fw/static'

/** The option `shutdown` lets in-flight requests finish after Ctrl-C. */
export const server = new Server({ shutdown: 'signals', trustProxy: false })
const router = server.router()
router.use(accessLog())

const api = router.group('/api')
api.get('/hello/:name', (ctx) => ({ hello: ctx.params.name }))
api.all('/*path', (ctx) => ctx.notFound()) // otherwise unknown API paths would get the page

staticFiles(router, '/', new URL('../public/', import.meta.url), { spa: true, cacheControl: () => 'no-cache' })
