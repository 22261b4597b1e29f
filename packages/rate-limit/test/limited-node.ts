/** A process with a rate limit in Redis: `node limited-node.ts <Redis socket> <onStoreError>`. */
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { createClient } from 'redis'
import { rateLimit } from '../src/index.ts'
import { redisRateLimits } from '../src/redis.ts'

setSinks([])
const [, , path = '', onStoreError] = process.argv
const store = redisRateLimits(createClient({ socket: { path, tls: false } }))
const server = new Server()
const limit = rateLimit({
  limit: 10,
  windowMs: 86_400_000,
  store,
  timeoutMs: 2000,
  onStoreError: onStoreError === 'refuse' ? 'refuse' : 'allow',
  key: (ctx) => ctx.rawQuery,
  onError: () => process.send?.('failed'),
})
server
  .router()
  .use(limit)
  .get('/', () => 'ok')
const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
process.on('disconnect', () => process.exit())
process.send?.({ port: Number(url.port) })
