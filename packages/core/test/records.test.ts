import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createLogger, Level, MemorySink, type LogRecord, type RootLogger } from '@fw/log'
import { connect, testCertificate } from '@fw/testing'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { watchEventLoop } from '../src/lifecycle/event-loop-watch.ts'
import { Server, type ServerOptions } from '../src/index.ts'
import { startServer } from './programs/run.ts'

const local = { port: 0, host: '127.0.0.1' }
const servers: Server[] = []
let tls: { key: string; cert: string }

beforeAll(async () => {
  const { key, cert } = await testCertificate()
  tls = { key, cert }
})
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close({ drainMs: 0 })))
})

interface Told {
  readonly server: Server
  readonly logger: RootLogger
  readonly port: number
  /** Messages of one level. */
  readonly of: (level: Level) => string[]
  readonly all: () => readonly LogRecord[]
}

async function notify(level: Level, options: ServerOptions = {}): Promise<Told> {
  const sink = new MemorySink()
  const logger = createLogger({ level, sinks: [sink] })
  const server = new Server({ ...options, logger })
  server.router().get('/', () => 'hello')
  servers.push(server)
  const { port = 0 } = await server.listen(local)
  const of = (wanted: Level): string[] =>
    sink
      .records()
      .filter((record) => record.level === wanted)
      .map(({ message }) => message)
  return { server, logger, port, of, all: () => sink.records() }
}

describe('at Info a server tells of', () => {
  it('its start, each endpoint and its end, and of nothing else', async () => {
    const { server, port, of } = await notify(Level.Info, { tls, http3: true })
    for (const protocol of ['h1+tls', 'h2', 'h3'] as const) {
      const client = await connect(protocol, { port })
      await (await client.request({ path: '/' })).text()
      await client.close()
    }
    await server.close({ drainMs: 5000 })
    expect(of(Level.Info)).toEqual([
      expect.stringMatching(new RegExp(`^Starting on Node\\.js ${process.versions.node} .* process ${process.pid}$`)),
      `QUIC endpoint on 127.0.0.1 port ${port}, announced by alt-svc`,
      `Listening on https://127.0.0.1:${port}/ (HTTP/1.1, HTTP/2.0, HTTP/3.0)`,
      'Closing; running requests have 5000 ms to finish',
      'Closed',
    ])
    expect([of(Level.Debug), of(Level.Trace), of(Level.Warn), of(Level.Error)]).toEqual([[], [], [], []])
  })

  it('what carries the name of the package as a field', async () => {
    const { server, all } = await notify(Level.Debug)
    await server.close()
    expect(new Set(all().map(({ location }) => location?.file))).toEqual(new Set(['fw:core']))
    expect(new Set(all().map(({ fields }) => fields?.['component']))).toEqual(new Set(['@fw/core']))
  })

  it('a second listener alone, when there is one', async () => {
    const { server, of } = await notify(Level.Info)
    await server.listen(local)
    expect(of(Level.Info).map((message) => message.split(' ')[0])).toEqual(['Starting', 'Listening', 'Listening'])
  })
})

it('what is cut off at the end of close() is a Warn record', async () => {
  const { server, port, of } = await notify(Level.Info)
  let isBegun = false
  server.router().get('/never', () => ((isBegun = true), new Promise(() => {})))
  const cut = fetch(`http://127.0.0.1:${port}/never`).catch(() => 'cut off')
  await expect.poll(() => isBegun).toBe(true)
  await server.close({ drainMs: 50 })
  expect(await cut).toBe('cut off')
  expect(of(Level.Warn)).toEqual([`What still runs on http://127.0.0.1:${port}/ after 50 ms is cut off`])
})

describe('at Debug a server tells of', () => {
  it('event loop, I/O driver, buffers, QUIC and connections', async () => {
    const { server, port, of } = await notify(Level.Debug, { tls, http3: true })
    const client = await connect('h2', { port })
    await (await client.request({ path: '/' })).text()
    await client.close()
    await server.close({ drainMs: 5000 })
    const notified = of(Level.Debug)
    for (const expected of [
      /^Event loop serves on CPUs [\d,-]+ of \d+$/,
      new RegExp(`^I/O driver: libuv ${process.versions.uv}.*UV_USE_IO_URING .*, \\d+ threads for files$`),
      /^Buffer pool: slices of \d+ bytes for small buffers/,
      new RegExp(
        `^QUIC by @matrixai/quic \\d+\\.\\d+\\.\\d+ \\(quiche\\) on UDP 127\\.0\\.0\\.1 port ${port}: buffers of \\d+ bytes`,
      ),
      /^Connection from 127\.0\.0\.1 port \d+ \(https, HTTP\/2\.0\)$/,
      /^Event loop: [\d.]+ % busy, late by [\d.]+ ms on average, [\d.]+ ms \(99 %\), [\d.]+ ms at most$/,
      /^Event loop serves no more$/,
    ]) {
      expect(notified).toContainEqual(expect.stringMatching(expected))
    }
    expect(of(Level.Trace)).toEqual([])
  })

  it('the buffer that all connections are read into, once', async () => {
    const { server, port, of } = await notify(Level.Debug)
    for (let n = 0; n < 2; n++) {
      const client = await connect('h1', { port })
      await (await client.request({ path: '/' })).text()
      await client.close()
    }
    await server.close({ drainMs: 5000 })
    const notified = of(Level.Debug).filter((message) => message.startsWith('Receive buffer'))
    expect(notified).toEqual(['Receive buffer: one of 65536 bytes for all connections'])
  })

  it('how late the event loop is, only while that level is on', async () => {
    const sink = new MemorySink()
    const logger = createLogger({ level: Level.Info, sinks: [sink] })
    const stop = watchEventLoop(logger, 5)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(sink.size()).toBe(0)
    logger.setLevel(Level.Debug)
    await expect.poll(() => sink.contains(' % busy, late by ')).toBe(true)
    logger.setLevel(Level.Info)
    const before = sink.size()
    await new Promise((resolve) => setTimeout(resolve, 50))
    stop()
    expect(sink.size()).toBe(before)
  })

  it('buffers that grow', async () => {
    const sink = new MemorySink()
    const stop = watchEventLoop(createLogger({ level: Level.Debug, sinks: [sink] }), 5)
    const large = Buffer.alloc(64 * 1024 * 1024)
    await expect
      .poll(() => sink.messages().filter((message) => /Buffers: \d{8,} bytes, \d+ before/.test(message)))
      .not.toEqual([])
    expect(large.length).toBeGreaterThan(0)
    stop()
  })
})

describe('at Trace a server tells of', () => {
  it('HTTP/3 frames and QUIC packets', async () => {
    const { port, of } = await notify(Level.Trace, { tls, http3: true })
    const client = await connect('h3', { port })
    await (await client.request({ path: '/', body: 'abc' })).text()
    // The response does not wait for the body.
    await expect.poll(() => of(Level.Trace)).toContain('HTTP/3 stream 0: DATA frame, 3 bytes')
    await client.close()
    const notified = of(Level.Trace)
    expect(notified).toContainEqual(expect.stringMatching(/^QUIC packet from 127\.0\.0\.1 port \d+: \d+ bytes$/))
    expect(notified).toContainEqual(expect.stringMatching(/^QUIC packet sent to 127\.0\.0\.1 port \d+: \d+ bytes$/))
    expect(notified).toContainEqual(expect.stringMatching(/^HTTP\/3 stream 0: HEADERS frame, \d+ bytes$/))
  })

  it('HTTP/2 frames', async () => {
    const { port, of } = await notify(Level.Trace, { tls })
    const client = await connect('h2', { port })
    await (await client.request({ path: '/', body: 'abc' })).text()
    await expect.poll(() => of(Level.Trace)).toContain('HTTP/2 stream 1: DATA frame, 3 bytes')
    await client.close()
    const notified = of(Level.Trace)
    expect(notified).toContainEqual(expect.stringMatching(/^HTTP\/2 stream 0: SETTINGS frame, \d+ bytes$/))
    expect(notified).toContainEqual(expect.stringMatching(/^HTTP\/2 stream 1: HEADERS frame, \d+ bytes$/))
  })
})

it.each([
  [Level.Error, true],
  [Level.Off, false],
])('at level %i the error of a handler is formatted: %s', async (level, expected) => {
  const sink = new MemorySink()
  const server = new Server({ tls, http3: true, logger: createLogger({ level, sinks: [sink] }) })
  servers.push(server)
  let isFormatted = false
  server.router().get('/', () => {
    const error = new Error('shown')
    Object.defineProperty(error, 'stack', { get: () => ((isFormatted = true), 'shown') })
    throw error
  })
  const { port = 0 } = await server.listen(local)
  for (const protocol of ['h1+tls', 'h2', 'h3'] as const) {
    const client = await connect(protocol, { port })
    expect((await client.request({ path: '/' })).status).toBe(500)
    await client.close()
  }
  await server.close()
  expect([isFormatted, sink.size()]).toEqual([expected, expected ? 3 : 0])
})

describe('an uncaught exception of a root task', () => {
  const program = fileURLToPath(new URL('programs/uncaught.ts', import.meta.url))
  const run = async (how: string): Promise<{ code: number; stdout: string }> => {
    try {
      return { code: 0, ...(await promisify(execFile)(process.execPath, [program, how])) }
    } catch (error) {
      return error as { code: number; stdout: string }
    }
  }

  it.concurrent.each([
    ['throw', /\[FATAL\].* Uncaught exception of a root task \(uncaughtException\): .*Error: lost/, 1],
    ['reject', /\[FATAL\].* Uncaught exception of a root task \(unhandledRejection\): .*Error: lost/, 1],
    ['survive', /\[ERROR\].* Uncaught exception of a root task \(uncaughtException\): .*Error: lost/, 0],
  ])('(%s) is recorded once, and the process does what it would have done', async (how, message, exitCode) => {
    const { code, stdout } = await run(how)
    expect(stdout).toMatch(message)
    expect(stdout.match(/root task/g)).toHaveLength(1)
    expect(code).toBe(exitCode)
  })
})

it('however many servers there are, the process has one listener for uncaught exceptions, and none without a server', async () => {
  const before = countMonitors()
  const logger = createLogger({ level: Level.Off, sinks: [] })
  const many = Array.from({ length: 20 }, () => new Server({ logger }))
  for (const server of many) await server.listen(local)
  expect(countMonitors()).toBe(before + 1)
  await Promise.all(many.map((server) => server.close()))
  expect(countMonitors()).toBe(before)
  await expect(new Server({ logger }).listen({ path: '/nowhere/x.sock' })).rejects.toThrow('Cannot listen')
  expect(countMonitors()).toBe(before)
})

it('a descriptor that was passed in is told of', async () => {
  await using server = await startServer({}, { fd: 3 }, 'tcp:x')
  expect(server.started.records).toContain('Listening on descriptor 3 that was passed in')
})

function countMonitors(): number {
  return process.listenerCount('uncaughtExceptionMonitor')
}
