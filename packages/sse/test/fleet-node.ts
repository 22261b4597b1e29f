/** A worker process with a channel: `node fleet-node.ts <port of Redis>`. Publishes what it is told to. */
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { createClient } from 'redis'
import { SseChannel } from '../src/index.ts'
import { RedisBackplane } from '../src/redis.ts'

setSinks([])
const client = createClient({ socket: { host: '127.0.0.1', port: Number(process.argv[2]) } })
const backplane = new RedisBackplane(client, 'fleet', { timeoutMs: 1000, onError: () => {} })
const channel = new SseChannel({ history: 100_000, backplane, onGap: () => process.send?.('gap') })
const server = new Server()
server.router().get('/', (ctx) => channel.serve(ctx))
const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
process.on('message', (event: { data: string; id?: string }) => channel.publish('n', event.data, { id: event.id }))
process.on('disconnect', () => process.exit())
process.send?.({ port: Number(url.port) })
