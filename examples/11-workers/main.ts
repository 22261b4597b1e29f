import { Server } from '@fw/core'

const { PORT = '8080', WORKERS = '4' } = process.env

const server = new Server({ shutdown: 'signals' })
server.router().get('/', () => ({ process: process.pid }))

// Runs this program again in each worker. SIGHUP replaces the workers one at a time: kill -HUP <process id>
await server.listen({ host: '127.0.0.1', port: Number(PORT), workers: Number(WORKERS) })
