/** Runs a server whose process throws outside of a request: `uncaught.ts throw|reject|survive`. */
import { ConsoleSink, createLogger } from '@fw/log'
import { Server } from '../../src/index.ts'

const [, , how] = process.argv
const logger = createLogger({ sinks: [new ConsoleSink({ stderrForErrors: false })] })
// Two servers, because each of them could log the exception.
const servers = [new Server({ logger }), new Server({ logger })]
for (const server of servers) await server.listen({ port: 0, host: '127.0.0.1' })

if (how === 'survive') {
  process.on('uncaughtException', () => void Promise.all(servers.map((server) => server.close())))
}
if (how === 'reject') void Promise.reject(new Error('lost'))
else {
  setImmediate(() => {
    throw new Error('lost')
  })
}
