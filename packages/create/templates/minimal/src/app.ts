import { Server } from '@fw/core'

/** The option `shutdown` lets in-flight requests finish after Ctrl-C. */
export const server = new Server({ shutdown: 'signals', trustProxy: false })
const router = server.router()

router.get('/', () => 'It works. Try /hello/Ada\n')
router.get('/hello/:name', (ctx) => ({ hello: ctx.params.name }))
