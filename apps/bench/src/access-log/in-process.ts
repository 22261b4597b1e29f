// What an access log adds to a request, without sockets: node src/access-log/in-process.ts [rounds]
import { devNull } from 'node:os'
import { accessLog, AccessLogFormat, type AccessLogConfig } from '@fw/access-log'
import { App } from '@fw/core'
import * as log from '@fw/log'
import { BROWSER_HEADERS } from '../http/requests.ts'
import { leastCosts, printCosts } from '../least-cost.ts'
import { SilentExchange } from '../router/silent-exchange.ts'

const FIELDS = ['host', 'localhost', ...Object.entries(BROWSER_HEADERS).flat()]

function request(config?: AccessLogConfig): () => void {
  const app = new App()
  if (config !== undefined) app.router.use(accessLog(config))
  app.router.get('/users/:id', () => 'hello world')
  return () => app.handle(new SilentExchange('GET', '/users/7?page=2', FIELDS, undefined))
}

const rounds = Number(process.argv[2] ?? 100)
const candidates = {
  'without a log': request(),
  'no entry (level off)': request({ normalLevel: log.Level.Off }),
  Combined: request({}),
  Json: request({ format: AccessLogFormat.Json }),
}
for (const [title, sink] of [
  ['Entries that nobody writes', { write() {}, flush() {}, close() {} }],
  ['An asynchronous file', new log.FileSink(devNull)],
] as const) {
  // Lines are written within the round that made them.
  log.init({ async: true, flushIntervalMs: 5, sinks: [sink] })
  process.stdout.write(`${title}:\n`)
  printCosts(await leastCosts(candidates, rounds))
}
log.shutdown()
