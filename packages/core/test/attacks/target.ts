/** Runs the server under attack. */
import * as log from '@fw/log'
import { Server } from '../../src/index.ts'
import { reportToParent } from './target-state.ts'

log.setSinks([])
const server = new Server()
const router = server.router()
const large = Buffer.alloc(8 * 1024 * 1024, 'x')
router.get('/', () => 'hello')
router.get('/large', () => large)
router.post('/read', async (ctx) => `${(await ctx.bytes()).byteLength}`)
const { port } = await server.listen({ port: 0, host: '127.0.0.1' })
reportToParent(port)
