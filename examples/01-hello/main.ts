import { Server } from '@fw/core'

export const server = new Server({ shutdown: 'signals', trustProxy: false }) // no proxy is in front
const router = server.router()

router.get('/', () => 'hello\n')
router.get('/hello/:name', (ctx) => ({ hello: ctx.params.name }))

if (import.meta.main) await server.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 8080) })
