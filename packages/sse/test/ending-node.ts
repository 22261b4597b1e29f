/** Publishes events and closes its server, after which the process must exit: `node ending-node.ts <Redis socket>`. */
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { createClient } from 'redis'
import { SseChannel } from '../src/index.ts'
import { RedisBackplane } from '../src/redis.ts'

setSinks([])
const client = createClient({ socket: { path: process.argv[2] ?? '', tls: false } })
const channel = new SseChannel({ backplane: new RedisBackplane(client, 'test', { timeoutMs: 1000 }) })
const server = new Server()
server.router().get('/', (ctx) => channel.serve(ctx))
await server.listen({ port: 0, host: '127.0.0.1' })
for (let n = 0; n < 500; n++) channel.publish('n', String(n))
await server.close()
