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

interface LoggingServer {
  readonly server: Server
  readonly logger: RootLogger
  readonly port: number
  /** Returns the messages at one level. */
  readonly of: (level: Level) => string[]
  readonly all: () => readonly LogRecord[]
}

async function listen(level: Level, options: ServerOptions = {}): Promise<LoggingServer> {
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

describe('a server at level Info', () => {
  it('logs its start, each endpoint and its end, and nothing else', async () => {
    const { server, port, of } = await listen(Level.Info, { tls, http3: true })
    for (const protocol of ['h1+tls', 'h2', 'h3'] as const) {
      const client = await connect(protocol, { port })
      await (await client.request({ path: '/' })).text()
      await client.close()
    }
    await server.close({ drainMs: 5000 })
    expect(of(Level.Info)).toEqual([
      expect.stringMatching(new RegExp(`^Starting on Node\\.js ${process.versions.node} .* process ${process.pid}$`)),
      `QUIC endpoint on 127.0.0.1 port ${port}, announced in alt-svc`,
      `Listening on https://127.0.0.1:${port}/ (HTTP/1.1, HTTP/2.0, HTTP/3.0)`,
      'Closing; in-flight requests have 5000 ms to finish',
      'Closed',
    ])
    expect([of(Level.Debug), of(Level.Trace), of(Level.Warn), of(Level.Error)]).toEqual([[], [], [], []])
  })

  it('names its package in a field of each record', async () => {
    const { server, all } = await listen(Level.Debug)
    await server.close()
    expect(new Set(all().map(({ location }) => location?.file))).toEqual(new Set(['fw:core']))
    expect(new Set(all().map(({ fields }) => fields?.['component']))).toEqual(new Set(['@fw/core']))
  })

  it('logs only the address of a second listener', async () => {
    const { server, of } = await listen(Level.Info)
    await server.listen(local)
    expect(of(Level.Info).map((message) => message.split(' ')[0])).toEqual(['Starting', 'Listening', 'Listening'])
  })
})

it('logs the requests that close() aborts at level Warn', async () => {
  const { server, port, of } = await listen(Level.Info)
  let isBegun = false
  server.router().get('/never', () => ((isBegun = true), new Promise(() => {})))
  const cut = fetch(`http://127.0.0.1:${port}/never`).catch(() => 'aborted')
  await expect.poll(() => isBegun).toBe(true)
  await server.close({ drainMs: 50 })
  expect(await cut).toBe('aborted')
  expect(of(Level.Warn)).toEqual([`Aborting requests still in progress on http://127.0.0.1:${port}/ after 50 ms`])
})

describe('a server at level Debug', () => {
  it('logs the event loop, I/O driver, buffers, QUIC and connections', async () => {
    const { server, port, of } = await listen(Level.Debug, { tls, http3: true })
    const client = await connect('h2', { port })
    await (await client.request({ path: '/' })).text()
    await client.close()
    await server.close({ drainMs: 5000 })
    const logged = of(Level.Debug)
    for (const expected of [
      /^Event loop runs on CPUs [\d,-]+ of \d+$/,
      new RegExp(`^I/O driver: libuv ${process.versions.uv}.*UV_USE_IO_URING .*, \\d+ threads for files$`),
      /^Buffer pool: small buffers share blocks of \d+ bytes/,
      new RegExp(
        `^QUIC of @matrixai/quic \\d+\\.\\d+\\.\\d+ \\(quiche\\) on UDP 127\\.0\\.0\\.1 port ${port}: receive buffer \\d+ bytes, send buffer \\d+ bytes$`,
      ),
      /^Connection from 127\.0\.0\.1 port \d+ \(https, HTTP\/2\.0\)$/,
      /^Event loop: [\d.]+% busy, delay [\d.]+ ms on average, [\d.]+ ms at the 99th percentile, [\d.]+ ms maximum$/,
      /^Event loop records stopped$/,
    ]) {
      expect(logged).toContainEqual(expect.stringMatching(expected))
    }
    expect(of(Level.Trace)).toEqual([])
  })

  it('logs the shared receive buffer once', async () => {
    const { server, port, of } = await listen(Level.Debug)
    for (let n = 0; n < 2; n++) {
      const client = await connect('h1', { port })
      await (await client.request({ path: '/' })).text()
      await client.close()
    }
    await server.close({ drainMs: 5000 })
    const logged = of(Level.Debug).filter((message) => message.startsWith('Receive buffer'))
    expect(logged).toEqual(['Receive buffer: one of 65536 bytes, shared by all connections'])
  })

  it('measures event-loop delays only while the level is enabled', async () => {
    const sink = new MemorySink()
    const logger = createLogger({ level: Level.Info, sinks: [sink] })
    const stop = watchEventLoop(logger, 5)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(sink.size()).toBe(0)
    logger.setLevel(Level.Debug)
    await expect.poll(() => sink.contains('% busy, delay ')).toBe(true)
    logger.setLevel(Level.Info)
    const before = sink.size()
    await new Promise((resolve) => setTimeout(resolve, 50))
    stop()
    expect(sink.size()).toBe(before)
  })

  it('logs the growth of buffers', async () => {
    const sink = new MemorySink()
    const stop = watchEventLoop(createLogger({ level: Level.Debug, sinks: [sink] }), 5)
    const large = Buffer.alloc(64 * 1024 * 1024)
    await expect
      .poll(() => sink.messages().filter((message) => /Buffers: \d{8,} bytes, previously \d+/.test(message)))
      .not.toEqual([])
    expect(large.length).toBeGreaterThan(0)
    stop()
  })
})

describe('a server at level Trace', () => {
  it('logs HTTP/3 frames and QUIC packets', async () => {
    const { port, of } = await listen(Level.Trace, { tls, http3: true })
    const client = await connect('h3', { port })
    await (await client.request({ path: '/', body: 'abc' })).text()
    // The server responds before it receives the body.
    await expect.poll(() => of(Level.Trace)).toContain('HTTP/3 stream 0: DATA frame, 3 bytes')
    await client.close()
    const logged = of(Level.Trace)
    expect(logged).toContainEqual(expect.stringMatching(/^QUIC packet from 127\.0\.0\.1 port \d+: \d+ bytes$/))
    expect(logged).toContainEqual(expect.stringMatching(/^QUIC packet sent to 127\.0\.0\.1 port \d+: \d+ bytes$/))
    expect(logged).toContainEqual(expect.stringMatching(/^HTTP\/3 stream 0: HEADERS frame, \d+ bytes$/))
  })

  it('logs HTTP/2 frames', async () => {
    const { port, of } = await listen(Level.Trace, { tls })
    const client = await connect('h2', { port })
    await (await client.request({ path: '/', body: 'abc' })).text()
    await expect.poll(() => of(Level.Trace)).toContain('HTTP/2 stream 1: DATA frame, 3 bytes')
    await client.close()
    const logged = of(Level.Trace)
    expect(logged).toContainEqual(expect.stringMatching(/^HTTP\/2 stream 0: SETTINGS frame, \d+ bytes$/))
    expect(logged).toContainEqual(expect.stringMatching(/^HTTP\/2 stream 1: HEADERS frame, \d+ bytes$/))
  })
})

it.each([
  [Level.Error, true],
  [Level.Off, false],
])("formats a handler's error only if a record shows it (level %i: %s)", async (level, expected) => {
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

describe('an uncaught exception outside a request', () => {
  const program = fileURLToPath(new URL('programs/uncaught.ts', import.meta.url))
  const run = async (how: string): Promise<{ code: number; stdout: string }> => {
    try {
      return { code: 0, ...(await promisify(execFile)(process.execPath, [program, how])) }
    } catch (error) {
      return error as { code: number; stdout: string }
    }
  }

  it.concurrent.each([
    ['throw', /\[FATAL\].* Uncaught exception outside of a request \(uncaughtException\): .*Error: lost/, 1],
    ['reject', /\[FATAL\].* Uncaught exception outside of a request \(unhandledRejection\): .*Error: lost/, 1],
    ['survive', /\[ERROR\].* Uncaught exception outside of a request \(uncaughtException\): .*Error: lost/, 0],
  ])('is logged once (%s), and does not change the exit code', async (how, message, exitCode) => {
    const { code, stdout } = await run(how)
    expect(stdout).toMatch(message)
    expect(stdout.match(/outside of a request/g)).toHaveLength(1)
    expect(code).toBe(exitCode)
  })
})

it('uses one listener for uncaught exceptions for all servers, and none without a server', async () => {
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

it('logs a descriptor that was passed in', async () => {
  await using server = await startServer({}, { fd: 3 }, 'tcp:x')
  expect(server.started.records).toContain('Listening on the passed descriptor 3')
})

function countMonitors(): number {
  return process.listenerCount('uncaughtExceptionMonitor')
}
