import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Server } from '@fw/core'
import { createLogger, JsonSink } from '@fw/log'
import { eachProtocol, rawExchange, type RunningServer, type ServerDemand } from '@fw/testing'
import { afterAll, expect, it } from 'vitest'
import { accessLog, RequestLogger } from '../src/index.ts'

const FORGED = '/a"}%0A{"level":"fatal","status":"500"}'
const folder = mkdtempSync(join(tmpdir(), 'fw-access-log-'))
afterAll(() => rmSync(folder, { recursive: true }))

const linesOf = (name: string): Record<string, unknown>[] =>
  readFileSync(join(folder, name), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** Number of started servers. Makes the file names of each server unique. */
let started = 0

async function start({ tls, http3 }: ServerDemand): Promise<RunningServer> {
  started++
  const logger = createLogger({ sinks: [new JsonSink({ path: join(folder, `app-${started}.json`) })] })
  const sinks = [new JsonSink({ path: join(folder, `access-${started}.json`), showLocation: false })]
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3, logger })
  const router = server.router().use(accessLog({ format: 'json', logger, sinks, generateRequestId: true }))
  router.get('/*path', (ctx) => {
    ctx.local(RequestLogger).info('from the handler')
    return 'hello'
  })
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 })
  return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
}

eachProtocol('a JsonSink', start, (client) => {
  it('writes the fields of an entry as siblings of time and level', async () => {
    await (await client().request({ path: FORGED })).text()
    await expect.poll(() => linesOf(`access-${started}.json`).length).toBe(1)
    const [entry = {}] = linesOf(`access-${started}.json`)
    expect(entry).toMatchObject({ level: 'info', method: 'GET', path: FORGED, status: 200, bytes: 5 })
    expect(Object.keys(entry).slice(0, 6)).toEqual(['time', 'level', 'method', 'path', 'status', 'phrase'])
    expect(entry).not.toHaveProperty('message')
    const handler = linesOf(`app-${started}.json`).find(({ message }) => String(message).endsWith('from the handler'))
    expect(handler).toMatchObject({ fields: { correlation_id: entry['correlation_id'] } })
    expect(entry['correlation_id']).toMatch(/^[0-9a-f]{16}$/)
  })
})

it('writes the fields of a refused request', async () => {
  const server = await start({ tls: undefined, http3: false })
  await rawExchange(server.port, 'GET / HTTP/1.1\r\nbad field\r\n\r\n')
  await expect.poll(() => linesOf(`access-${started}.json`).length).toBe(1)
  expect(linesOf(`access-${started}.json`)[0]).toMatchObject({ level: 'warn', status: 400, path: '/' })
  await server.close()
})
