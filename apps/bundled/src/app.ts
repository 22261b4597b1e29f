/**
 * Serves one request for each feature that loads code on first use, and checks the responses and the log. Uses neither
 * top-level `await` nor `import.meta.url`, because bundles in CommonJS have neither.
 */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { accessLog, RequestLogger } from '@fw/access-log'
import { Server } from '@fw/core'
import * as log from '@fw/log'
import '@fw/sse/register'
import '@fw/static/register'

const USER = {
  type: 'object',
  properties: { id: { type: 'integer' }, contact: { anyOf: [{ type: 'string', format: 'email' }, { type: 'null' }] } },
  required: ['id'],
}

async function main(): Promise<void> {
  const threads: unknown[] = []
  process.on('worker', (thread) => threads.push(thread))
  log.init({ async: true, sinks: [new log.FileSink('app.log')] })
  mkdirSync('public', { recursive: true })
  writeFileSync('public/page.html', '<h1>page</h1>')

  await using server = new Server({ trustProxy: false })
  addRoutes(server)
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 })
  await checkResponses(url)

  await log.flush()
  assert.equal(threads.length, 1, 'the writer thread has started')
  assert.equal(log.stats().sinkErrors, 0)
  log.shutdown()
  const text = readFileSync('app.log', 'utf8')
  assert.match(text, /\[app\.\w+:\d+\] \[GET \/users\/7\] Loading 7\n/)
  assert.match(text, /\[app\.\w+:\d+\] GET \/users\/7 200 OK /)
  assert.match(text, /\[fw:core\] Listening on /)
}

function addRoutes(server: Server): void {
  const router = server.router()
  router.use(accessLog({ skipPaths: ['/page.html'] }))
  router.get('/users/:id', { response: { 200: USER }, accessLog: { logBytes: false } }, (ctx) => {
    ctx.local(RequestLogger).info('Loading {}', ctx.params.id)
    return { id: Number(ctx.params.id), contact: 'ada@example.org', password: 'secret' }
  })
  router.post('/uploads', async (ctx) => {
    const parts: string[] = []
    for await (const part of ctx.parts()) parts.push(`${part.name}=${await part.text()}`)
    return parts.join('&')
  })
  router.get('/format', (ctx) => ctx.accepts('text/html', 'application/json') ?? 'none')
  router.get('/events', async (ctx) => {
    const stream = await ctx.sse()
    await stream.event('tick', '1')
  })
  router.staticFiles('/', 'public')
  const invalid = { response: { 200: { type: 'nonsense' } } }
  assert.throws(() => router.get('/invalid', invalid, () => 1), /option "response.200" must be a JSON Schema/)
}

async function checkResponses(url: URL): Promise<void> {
  const fetchText = async (path: string, init?: RequestInit): Promise<string> =>
    (await fetch(new URL(path, url), init)).text()
  const body = new FormData()
  body.set('title', 'Holidays')
  body.set('photo', new File(['bytes'], 'beach.png'))

  assert.equal(await fetchText('/users/7'), '{"id":7,"contact":"ada@example.org"}')
  assert.equal(await fetchText('/uploads', { method: 'POST', body }), 'title=Holidays&photo=bytes')
  assert.equal(await fetchText('/format', { headers: { accept: 'application/json' } }), 'application/json')
  assert.equal(await fetchText('/page.html'), '<h1>page</h1>')
  assert.equal(await fetchText('/events'), 'event: tick\ndata: 1\n\n')
}

main().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
