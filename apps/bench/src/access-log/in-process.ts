// Measures the CPU time that an access log adds to a request, without sockets.
// Usage: node src/access-log/in-process.ts [rounds | --quick]
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accessLog, AccessLogFormat, type AccessLogConfig } from '@fw/access-log'
import { App } from '@fw/core'
import * as log from '@fw/log'
import { checkLog } from '../http/check-log.ts'
import { BROWSER_HEADERS } from '../http/requests.ts'
import { minimumCosts, printCosts, RUNS } from '../minimum-cost.ts'
import { SilentExchange } from '../router/silent-exchange.ts'
import { InjectedConnections } from './injected-connections.ts'
import { fastifyApp, LISTENERS, type Logged, type NodeLog } from './logged-apps.ts'

const FIELDS = Object.entries({ host: 'localhost', ...BROWSER_HEADERS })
const TARGET = '/users/7?page=2'
const REQUEST = `GET ${TARGET} HTTP/1.1\r\n${FIELDS.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`

const words = process.argv.slice(2)
const rounds = words.includes('--quick') ? 1 : Number(words[0] ?? 100)
const folder = await mkdtemp(join(tmpdir(), 'access-log-'))
await using ends = new AsyncDisposableStack()
ends.defer(() => rm(folder, { recursive: true }))

/** Returns a function that sends a request to an `fw` application, without its protocol engine. */
function ownRequest(config?: AccessLogConfig): () => void {
  const app = new App()
  if (config !== undefined) app.router.use(accessLog(config))
  app.router.get('/users/:id', () => 'hello world')
  return () => app.handle(new SilentExchange('GET', TARGET, FIELDS.flat(), undefined))
}

/** Returns a function that sends a request to a `node:http` server. The baseline then includes its protocol engine. */
function nodeRequest(server: Server): () => void {
  const connections = new InjectedConnections(server, REQUEST, 'hello world')
  ends.defer(() => connections.check())
  return () => connections.send()
}

/** Functions that resolve when an application has written its log, by log name. */
const written = new Map<string, () => Promise<void>>()

/** Opens a log. After it is closed, checks that it contains `lines` lines per request. */
function checked<App>(name: string, lines: number, open: (path: string) => Logged<App>): App {
  const path = join(folder, name)
  const { app, written: writtenToFile, stop } = open(path)
  written.set(name, writtenToFile)
  ends.defer(async () => {
    await stop()
    if (lines > 0) await checkLog(path, lines * rounds * RUNS)
  })
  return app
}

function listenerRequest(name: NodeLog): () => void {
  return nodeRequest(createServer(checked(name, name === 'node-http' ? 0 : 1, LISTENERS[name])))
}

async function fastifyRequest(name: string, lines: number): Promise<() => void> {
  const app = checked(name, lines, (path) => fastifyApp(lines === 0 ? undefined : path))
  await app.ready()
  return nodeRequest(app.server)
}

const own = {
  fw: ownRequest(),
  'fw level off': ownRequest({ normalLevel: log.Level.Off }),
  'fw combined': ownRequest({}),
  'fw json': ownRequest({ format: AccessLogFormat.Json }),
}
const ofNode = {
  'node-http': listenerRequest('node-http'),
  morgan: listenerRequest('morgan'),
  'pino-http': listenerRequest('pino-http'),
}
const ofFastify = {
  fastify: await fastifyRequest('fastify', 0),
  'fastify pino': await fastifyRequest('fastify pino', 2),
}

log.init({ async: true, sinks: [{ write() {}, flush() {}, close() {} }] })
const unwritten = Object.entries(own).map(([name, run]) => [`${name}, not written`, run] as const)
printCosts(await minimumCosts(Object.fromEntries(unwritten), rounds))

checked('fw', 2, (path) => {
  log.init({ async: true, sinks: [new log.FileSink(path)] })
  return { app: undefined, written: log.flush, stop: () => log.shutdown() }
})
const costs = await minimumCosts({ ...own, ...ofNode, ...ofFastify }, rounds, undefined, async (name) => {
  await written.get(name in own ? 'fw' : name)?.()
})
for (const family of [own, ofNode, ofFastify]) {
  process.stdout.write('\n')
  printCosts(new Map(Object.keys(family).map((name) => [name, costs.get(name) ?? Number.NaN])))
}
