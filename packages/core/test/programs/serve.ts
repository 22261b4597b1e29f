/**
 * Runs a server in a separate process: `serve.ts <options of Server> <options of listen>`, both in JSON. Prints one
 * line with the address or the startup error. Exits on a signal, and prints a line with the numbers of accepted and
 * aborted requests.
 */
import { setTimeout } from 'node:timers/promises'
import * as log from '@fw/log'
import { Server } from '../../src/index.ts'

const [serverOptions = '{}', listenOptions = '{}'] = process.argv.slice(2)
// Keep standard output free for these lines.
const records = new log.MemorySink()
log.init({ level: log.Level.Debug, sinks: [records] })

const server = new Server({ shutdown: 'signals', ...JSON.parse(serverOptions) })
let accepted = 0
let aborted = 0
server
  .router()
  .use((ctx, next) => {
    accepted++
    ctx.onFinish((outcome) => (aborted += outcome.aborted ? 1 : 0))
    return next()
  })
  .get('/', () => `hello from ${process.pid}`)
  .get('/work', async () => {
    await setTimeout(20)
    return 'done'
  })
  .get('/never', (ctx) => {
    ctx.startResponse().write(Buffer.from('begun'))
    return new Promise(() => {})
  })
process.on('exit', () =>
  console.log(JSON.stringify({ accepted, aborted, isCutOff: records.contains('Aborting the requests') })),
)
try {
  const { url, port, path, protocols } = await server.listen(JSON.parse(listenOptions))
  console.log(JSON.stringify({ url, port, path, protocols, records: records.messages() }))
} catch (error) {
  console.log(JSON.stringify({ error: String(error) }))
}
