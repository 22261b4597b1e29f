import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { EMBEDDED, embedWorker } from '../scripts/embed-worker.ts'
import type { LogStats } from '../src/fan-out.ts'
import { createLogger, type LogOptions, type RootLogger } from '../src/root-logger.ts'
import { FileSink } from '../src/sinks/file-sink.ts'
import { JsonSink } from '../src/sinks/json-sink.ts'
import { MemorySink } from '../src/sinks/memory-sink.ts'
import { runScript, temporaryDirectory } from './run-script.ts'

const ENTRY = new URL('../src/index.ts', import.meta.url).href

function messagesOf(path: string): string[] {
  return linesOf(readFileSync(path, 'utf8'))
}

function linesOf(output: string): string[] {
  return output
    .split('\n')
    .slice(0, -1)
    .map((line) => line.replace(/^(?:\[[^\]]*\] ){2}/, ''))
}

function temporaryFile(): string {
  return join(temporaryDirectory(), 'app.log')
}

/** Creates a logger whose writer thread does not write unprompted for a minute. */
function start(options: LogOptions = {}): { logger: RootLogger; path: string } {
  const path = temporaryFile()
  const sinks = [new FileSink({ path, showLocation: false })]
  const logger = createLogger({ async: true, flushIntervalMs: 60_000, sinks, ...options })
  onTestFinished(() => logger.shutdown())
  return { logger, path }
}

/** Waits for a condition that another thread fulfills. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5)
}

it('embeds the current source of the writer thread', () => {
  expect(readFileSync(fileURLToPath(EMBEDDED), 'utf8')).toBe(embedWorker())
})

describe('a line in asynchronous mode', () => {
  it('is written without a flush after the interval', async () => {
    const { logger, path } = start({ flushIntervalMs: 1 })
    for (let at = 0; at < 100; at++) logger.info('line {}', at)
    await until(() => logger.stats().queued === 0)
    expect(messagesOf(path)).toEqual(Array.from({ length: 100 }, (_, at) => `line ${at}`))
  })

  it('is written when flush resolves', async () => {
    const { logger, path } = start()
    logger.info('a')
    logger.info('b')
    await logger.flush()
    expect(messagesOf(path)).toEqual(['a', 'b'])
    expect(logger.stats()).toMatchObject({ written: 2, queued: 0, dropped: 0 })
  })

  it.each(['error', 'fatal'] as const)('is written with all earlier lines when %s returns', (method) => {
    const { logger, path } = start()
    logger.info('before')
    logger[method]('now')
    expect(messagesOf(path)).toEqual(['before', 'now'])
  })

  it('is counted as queued until it is written', () => {
    const { logger } = start()
    for (let at = 0; at < 10; at++) logger.info('x')
    expect(logger.stats().queued).toBeGreaterThan(0)
    logger.shutdown()
    expect(logger.stats().queued).toBe(0)
  })

  it('is written immediately after shutdown', () => {
    const { logger, path } = start()
    logger.info('a')
    logger.shutdown()
    expect(messagesOf(path)).toEqual(['a'])
    logger.info('b')
    expect(messagesOf(path)).toEqual(['a', 'b'])
  })

  it('is written before its sink is replaced or closed', () => {
    const { logger, path } = start()
    logger.info('a')
    logger.setSinks([])
    expect(messagesOf(path)).toEqual(['a'])

    const closed = temporaryFile()
    const sink = new JsonSink({ path: closed })
    logger.setSinks([sink])
    logger.info('b')
    sink.close()
    logger.info('after')
    expect(readFileSync(closed, 'utf8')).toMatch(/^\{.*"message":"b".*\}\n$/)
  })

  it("reaches an added sink, and an application sink on the caller's thread", () => {
    const { logger, path } = start()
    const memory = new MemorySink()
    const added = temporaryFile()
    logger.addSink(memory)
    logger.addSink(new FileSink({ path: added, showLocation: false }))
    logger.info('everywhere')
    expect(memory.messages()).toEqual(['everywhere'])
    logger.shutdown()
    expect([messagesOf(path), messagesOf(added)]).toEqual([['everywhere'], ['everywhere']])
  })

  it('remains in order across stdout and stderr', () => {
    const { stdout } = runScript(`
import { spawnSync } from 'node:child_process'
if (process.argv[2] === 'child') {
  log.init({ async: true })
  for (let at = 0; at < 300; at++) log[at % 100 === 99 ? 'error' : 'info']('{}', at)
} else {
  const { stdout } = spawnSync('sh', ['-c', '"$0" "$1" child 2>&1', process.execPath, process.argv[1] ?? ''])
  process.stdout.write(stdout)
}`)
    const numbers = stdout.match(/\d+$/gm)?.map(Number)
    expect(numbers).toEqual(Array.from({ length: 300 }, (_, at) => at))
  })

  it('is not interleaved in a file that many threads and processes write to', async () => {
    const path = temporaryFile()
    const source = `
import { Worker, isMainThread, workerData } from 'node:worker_threads'
const path = process.argv[2] ?? ''
const name = process.argv[3] + (isMainThread ? 'main' : workerData)
log.init({ async: true, flushIntervalMs: 1, sinks: [new log.FileSink({ path, showLocation: false })] })
if (isMainThread) for (let at = 0; at < 4; at++) new Worker(new URL(import.meta.url), { workerData: at, argv: process.argv.slice(2) })
const text = name.repeat(40)
for (let at = 0; at < 1000; at++) {
  log.info('{} {} {}', name, at, text)
  if (at % 100 === 0) await new Promise(setImmediate)
}`
    const script = join(temporaryDirectory(), 'script.ts')
    writeFileSync(script, `import * as log from ${JSON.stringify(ENTRY)}\n${source}`)
    const children = ['A', 'B'].map((name) => spawn(process.execPath, [script, path, name], { stdio: 'inherit' }))
    await Promise.all(children.map((child) => once(child, 'exit')))

    const seen = new Map<string, number>()
    for (const message of messagesOf(path)) {
      const [name = '', at, rest] = message.split(' ')
      expect([Number(at), rest]).toEqual([seen.get(name) ?? 0, name.repeat(40)])
      seen.set(name, Number(at) + 1)
    }
    expect([...seen.values()]).toEqual(Array.from({ length: 10 }, () => 1000))
  })

  it('has the same bytes as in synchronous mode, for any text', () => {
    const texts = [
      'ascii',
      'x'.repeat(300_000),
      '漢字'.repeat(400_000),
      '😀é\ud800 \udc00',
      '\u001b[31m\r\n[forged]\t\0\u0085\u2028',
      '',
      'é'.repeat(5000),
      `${'y'.repeat(9 * 1024 * 1024)}!`,
      '👩‍👩‍👧‍👦'.repeat(900_000),
    ]
    const paths = [false, true].map((async) => {
      const path = temporaryFile()
      const sink = new FileSink({ path, pattern: '{level} {message}' })
      const logger = createLogger({ async, overflow: 'block', sinks: [sink] })
      for (let round = 0; round < 3; round++) for (const each of texts) logger.info('{}-{}', round, each)
      logger.shutdown()
      return path
    })
    const [synchronous, asynchronous] = paths.map((path) => readFileSync(path))
    expect(asynchronous?.equals(synchronous ?? Buffer.of())).toBe(true)
    expect(synchronous?.toString().split('\n')).toHaveLength(3 * texts.length + 1)
  })
})

/** Runs a script. Reads its stdout only after it reports on stderr that its calls have returned. */
async function withoutReader(source: string): Promise<{ lines: string[]; report: unknown }> {
  const script = join(temporaryDirectory(), 'script.ts')
  writeFileSync(script, `import * as log from ${JSON.stringify(ENTRY)}\n${source}`)
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] })
  const report = await new Promise<string>((resolve) => child.stderr.once('data', (data) => resolve(String(data))))
  return { lines: linesOf(await text(child.stdout)), report: JSON.parse(report) }
}

describe('a full queue', () => {
  it("does not block the caller with overflow 'drop', and reports the number of dropped records", async () => {
    const { lines, report } = await withoutReader(`
import { writeSync } from 'node:fs'
log.init({ async: true, maxQueueSize: 1000, sinks: [new log.ConsoleSink({ showLocation: false })] })
for (let at = 0; at < 20_000; at++) {
  log.info('line {} {}', at, 'x'.repeat(100))
  if (at % 1000 === 0) await new Promise(setImmediate)
}
writeSync(2, JSON.stringify(log.stats()))`)
    const { dropped, written } = report as { dropped: number; written: number }
    const numbers = lines.flatMap((line) => /^line (\d+)/.exec(line)?.[1] ?? []).map(Number)
    const reported = lines.flatMap((line) => /^(\d+) records? dropped/.exec(line)?.[1] ?? []).map(Number)
    expect(dropped).toBeGreaterThan(10_000)
    expect(numbers).toHaveLength(written)
    expect(written + dropped).toBe(20_000)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    expect(reported.reduce((sum, count) => sum + count, 0)).toBe(dropped)
  })

  it('reports dropped records when the queue has room, without waiting for another record', async () => {
    const { logger, path } = start({ maxQueueSize: 10, flushIntervalMs: 1 })
    let dropped = 0
    // On a busy machine, the queue can have room again before all records are logged. Continue until the last one is dropped.
    for (let at = 0, before = -1; at < 1000 || dropped === before; at++) {
      before = dropped
      logger.info('line {}', at)
      dropped = logger.stats().dropped
    }
    const notified = (): number =>
      messagesOf(path)
        .map((line) => Number(/^(\d+) records? dropped: the log queue was full$/.exec(line)?.[1] ?? 0))
        .reduce((sum, count) => sum + count, 0)
    await until(() => notified() === dropped)
    expect(messagesOf(path).at(-1)).toContain('dropped')
    expect(readFileSync(path, 'utf8')).toContain('[WARN ]')
  })

  it('reports dropped records in color if other lines have color', async () => {
    const { lines } = await withoutReader(`
log.init({
  async: true,
  maxQueueSize: 4,
  sinks: [new log.ConsoleSink({ colorMode: 'always', showLocation: false, pattern: '{level} {message}' })],
})
for (let at = 0; at < 20; at++) log.info('line {}', at)
console.error('null')`)
    expect(lines.at(-1)).toMatch(/^\u{1b}\[33mWARN \u{1b}\[39m \d+ records dropped/u)
  })

  it("does not drop errors with overflow 'drop'", () => {
    const { logger, path } = start({ maxQueueSize: 10 })
    for (let at = 0; at < 1000; at++) logger.info('line {}', at)
    logger.error('seen')
    expect(messagesOf(path)).toContain('seen')
  })

  it("loses no lines with overflow 'block'", () => {
    const { logger, path } = start({ maxQueueSize: 10, overflow: 'block' })
    for (let at = 0; at < 5000; at++) logger.info('line {}', at)
    logger.shutdown()
    expect(messagesOf(path)).toEqual(Array.from({ length: 5000 }, (_, at) => `line ${at}`))
    expect(logger.stats()).toMatchObject({ written: 5000, dropped: 0 })
  })
})

/**
 * Returns the lines that a slow reader receives. Node.js sets the pipe to non-blocking mode when `process.stdout` is accessed.
 */
async function slowlyRead(options: string): Promise<{ lines: string[]; stats: LogStats }> {
  const script = join(temporaryDirectory(), 'script.ts')
  const source = `import * as log from ${JSON.stringify(ENTRY)}
import { writeSync } from 'node:fs'
process.stdout.write('')
try {
  for (;;) writeSync(1, '-'.repeat(4095) + '\\n')
} catch (error) {
  writeSync(2, error.code + ' ')
}
log.init({ async: true, flushIntervalMs: 1, ${options}, sinks: [new log.ConsoleSink({ showLocation: false })] })
for (let at = 0; at < 3000; at++) {
  log.info('line {} {}', at, 'x'.repeat(300))
  if (at % 100 === 0) await new Promise((done) => setTimeout(done, 1))
}
log.shutdown()
writeSync(2, JSON.stringify(log.stats()))`
  writeFileSync(script, source)
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] })
  const report = text(child.stderr)
  let output = ''
  for await (const chunk of child.stdout) {
    output += String(chunk)
    await sleep(5)
  }
  const [code = '', stats = ''] = (await report).split(' ')
  expect(code).toBe('EAGAIN')
  return { lines: linesOf(output).filter((line) => !line.startsWith('-')), stats: JSON.parse(stats) as LogStats }
}

describe('a pipe that fails with EAGAIN when it is full', () => {
  it("loses no lines with overflow 'block'", async () => {
    const { lines, stats } = await slowlyRead("overflow: 'block', maxQueueSize: 100")
    expect(lines).toEqual(Array.from({ length: 3000 }, (_, at) => `line ${at} ${'x'.repeat(300)}`))
    expect(stats).toMatchObject({ written: 3000, dropped: 0, queued: 0, sinkErrors: 0 })
  })

  it("loses only counted records with overflow 'drop'", async () => {
    const { lines, stats } = await slowlyRead("overflow: 'drop', maxQueueSize: 100")
    const numbers = lines.flatMap((line) => /^line (\d+) x{300}$/.exec(line)?.[1] ?? []).map(Number)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    expect(numbers).toHaveLength(stats.written)
    expect(stats.written + stats.dropped).toBe(3000)
    expect(stats).toMatchObject({ queued: 0, sinkErrors: 0 })
  })
})

it.each([
  ['a synchronous logger', '', 2000],
  ['an asynchronous logger, up to its last flush', 'async: true, flushIntervalMs: 60_000,', 1000],
])("writes a terminated worker thread's lines with %s", async (_what, options, least) => {
  const path = temporaryFile()
  const { stdout } = runScript(
    `
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
if (isMainThread) {
  const thread = new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) })
  thread.on('message', () => thread.terminate())
  thread.on('exit', (code) => console.log(code))
} else {
  log.init({ ${options} sinks: [new log.FileSink({ path: process.argv[2] ?? '', showLocation: false })] })
  for (let at = 0; at < 1000; at++) log.info('line {}', at)
  await log.flush()
  for (let at = 1000; at < 2000; at++) log.info('line {}', at)
  parentPort?.postMessage('done')
  for (;;);
}`,
    { args: [path] },
  )
  expect(stdout).toBe('1\n')
  const lines = messagesOf(path)
  expect(lines.length).toBeGreaterThanOrEqual(least)
  expect(lines).toEqual(Array.from({ length: lines.length }, (_, at) => `line ${at}`))
})

describe('a destination that fails in asynchronous mode', () => {
  it('is counted and reported without affecting the process or other sinks', () => {
    const path = temporaryFile()
    const { stderr, status } = runScript(
      `
import { setTimeout } from 'node:timers/promises'
log.init({ async: true, flushIntervalMs: 1, sinks: [new log.FileSink('/dev/full'), new log.FileSink(process.argv[2])] })
log.info('a')
while (log.stats().sinkErrors === 0) await setTimeout(5)
log.error('b')`,
      { args: [path] },
    )
    expect(stderr).toContain('log: FileSink failed: ENOSPC: no space left on device, write\n')
    expect(status).toBe(0)
    expect(messagesOf(path).map((line) => line.slice(-1))).toEqual(['a', 'b'])
  })

  it('receives the queued lines after it has room again', async () => {
    const path = temporaryFile()
    const source = `
import * as log from ${JSON.stringify(ENTRY)}
import { setTimeout } from 'node:timers/promises'
process.on('SIGXFSZ', () => {})
log.init({ async: true, flushIntervalMs: 1, sinks: [new log.FileSink({ path: process.argv[1], showLocation: false })] })
for (let at = 0; at < 100; at++) log.info('line {}', at)
while (log.stats().queued > 0) await setTimeout(5)`
    // The shell's file size limit, two blocks of 512 bytes, simulates a disk that is full at 1024 bytes.
    const limited = ['-c', 'ulimit -f 2 && exec "$0" "$@"', process.execPath, '--input-type=module', '-e', source, path]
    const child = spawn('sh', limited, { stdio: ['ignore', 'inherit', 'ignore'] })
    let written = ''
    while (child.exitCode === null) {
      await sleep(5)
      const now = await Promise.try(() => readFileSync(path, 'utf8')).catch(() => '')
      if (now.length !== 1024) continue
      written += now
      truncateSync(path)
    }
    written += readFileSync(path, 'utf8')
    expect(linesOf(written)).toEqual(Array.from({ length: 100 }, (_, at) => `line ${at}`))
  })

  it("does not block the caller forever with overflow 'block'", () => {
    const { status } = runScript(`
log.init({ async: true, overflow: 'block', maxQueueSize: 10, sinks: [new log.FileSink('/dev/full')] })
for (let at = 0; at < 100; at++) log.info('x')
const { written, dropped, sinkErrors } = log.stats()
process.exit(written + dropped === 100 && dropped > 0 && sinkErrors > 0 ? 5 : 1)`)
    expect(status).toBe(5)
  })

  it('fails only once after its reader has closed the pipe', () => {
    const { stderr, stdout } = runScript(`
import { spawn } from 'node:child_process'
import { once } from 'node:events'
if (process.argv[2] === 'child') {
  // The reader has closed the pipe by then.
  await once(process.stdin.resume(), 'end')
  log.init({ async: true, flushIntervalMs: 1 })
  for (let at = 0; at < 1000; at++) { log.info('line {}', at); if (at % 10 === 0) await new Promise((done) => setTimeout(done, 1)) }
  process.exit(3)
}
const child = spawn(process.execPath, [process.argv[1] ?? '', 'child'], { stdio: ['pipe', 'pipe', 'inherit'] })
child.stdout.destroy()
await once(child.stdout, 'close')
child.stdin.end()
console.log(await once(child, 'exit'))`)
    expect(stdout).toContain('[ 3, null ]')
    expect(stderr).toBe('log: ConsoleSink failed: EPIPE: broken pipe, write\n')
  })
})

it('writes all lines without permission to start threads', () => {
  const path = temporaryFile()
  const { stderr } = runScript(
    `
log.init({ async: true, sinks: [new log.FileSink({ path: process.argv[2] ?? '', showLocation: false })] })
for (let at = 0; at < 100; at++) log.info('line {}', at)`,
    { nodeFlags: ['--permission', '--allow-fs-read=*', '--allow-fs-write=*'], args: [path] },
  )
  expect(messagesOf(path)).toHaveLength(100)
  expect(stderr).toContain('log: FileSink failed: writer thread ended')
})
