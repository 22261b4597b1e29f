/** A process with a channel: `node fleet-node.ts <Redis socket>`. Publishes on request. */
import { setTimeout as delay } from 'node:timers/promises'
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { createClient } from 'redis'
import { SseChannel } from '../src/index.ts'
import { RedisBackplane } from '../src/redis.ts'

setSinks([])
const client = createClient({ socket: { path: process.argv[2] ?? '', tls: false } })
const backplane = new RedisBackplane(client, 'fleet', { timeoutMs: 1000, onError: () => {} })
const channel = new SseChannel({ history: 100_000, backplane, onGap: () => process.send?.('gap') })
const server = new Server()
server.router().get('/', (ctx) => channel.serve(ctx))
const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
let published = 0
let publishing: NodeJS.Timeout | undefined
// `begin` publishes a number at an interval. The reply to `begin` is sent when Redis has stored the event before the first
// number. The reply to `end` is the last number.
process.on('message', (message: { begin: number } | 'end') => {
  if (message === 'end') {
    clearInterval(publishing)
    process.send?.({ published })
    return
  }
  void begin(message.begin)
})
process.on('disconnect', () => process.exit())
process.send?.({ port: Number(url.port) })

async function begin(everyMs: number): Promise<void> {
  // Every client starts after this event. A process that queries Redis too early would not find the event's ID.
  channel.publish('n', '0', { id: 'start' })
  while (channel.stats.keptEvents === 0) await delay(5)
  publishing = setInterval(() => channel.publish('n', String(++published)), everyMs)
  process.send?.({ begun: true })
}
