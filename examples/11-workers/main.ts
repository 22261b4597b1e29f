import cluster from 'node:cluster'
import { Server } from '@fw/core'

const { PORT = '8080', WORKERS = '4' } = process.env

const server = new Server({ shutdown: 'signals', trustProxy: false })
server.router().get('/', () => ({ process: process.pid }))

// Runs this program again in each worker. In the primary, the call resolves when all workers are listening.
await server.listen({ host: '127.0.0.1', port: Number(PORT), workers: Number(WORKERS) })
if (cluster.isPrimary) console.log(`To replace the workers one at a time, type: kill -HUP ${process.pid}`)
