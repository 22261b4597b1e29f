/** A process with sessions in Redis: `node session-node.ts <Redis socket>`. */
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { createClient } from 'redis'
import { session } from '../src/index.ts'
import { redisSessions } from '../src/redis.ts'

setSinks([])
const client = createClient({ socket: { path: process.argv[2] ?? '', tls: false, reconnectStrategy: 20 } })
client.on('error', () => {})
await client.connect()
const sessions = session<{ user: string; visits: number }>({ store: redisSessions(client, { timeoutMs: 500 }) })
const server = new Server()
const router = server.router().use(sessions)
router.onError((error, ctx) => ctx.json({ code: (error as { code?: unknown }).code ?? String(error) }))
router.get('/', async (ctx) => (await sessions.of(ctx)).data)
router.post('/login', async (ctx) => {
  const current = await sessions.of(ctx)
  current.rotate()
  current.update({ user: 'ada' })
  return 'ok'
})
router.post('/visit', async (ctx) => {
  const current = await sessions.of(ctx)
  current.update(({ visits = 0 }) => ({ visits: visits + 1 }))
  return 'ok'
})
router.post('/logout', async (ctx) => {
  ;(await sessions.of(ctx)).destroy()
  return 'ok'
})
const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
process.on('disconnect', () => process.exit())
process.send?.({ port: Number(url.port) })
