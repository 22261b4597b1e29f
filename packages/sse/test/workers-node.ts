/** A program with two workers on one channel. A test stops it by closing the IPC channel. */
import cluster from 'node:cluster'
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { SseChannel } from '../src/index.ts'
import { workersBackplane } from '../src/workers.ts'

setSinks([])
const channel = new SseChannel({ backplane: workersBackplane('numbers') })
const server = new Server()
server
  .router()
  .get('/', (ctx) => {
    ctx.responseHeaders.set('x-pid', String(process.pid))
    return channel.serve(ctx)
  })
  // Publishes the numbers in the path, one after the other.
  .post('/publish/:from/:to', (ctx) => {
    for (let n = Number(ctx.params.from); n <= Number(ctx.params.to); n++) channel.publish('n', String(n))
    return String(process.pid)
  })
const { url } = await server.listen({ port: 0, host: '127.0.0.1', workers: 2 })
if (cluster.isPrimary) {
  process.on('message', (n: number) => channel.publish('n', String(n)))
  process.on('disconnect', () => void server.close({ drainMs: 0 }))
  process.send?.({ port: Number(url.port) })
}
