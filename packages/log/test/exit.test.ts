import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runScript, temporaryDirectory } from './run-script.ts'

const COUNT = 2000
const ALL = Array.from({ length: COUNT }, (_, at) => `line ${at}`)

/**
 * Returns a program that logs to a pipe and a file. It logs half of the lines immediately and the other half after a few
 * event-loop turns. The code in `end` then ends it.
 */
function program(options: string, end: string): string {
  return `
const threads: import('node:worker_threads').Worker[] = []
process.on('worker', (thread) => threads.push(thread))
const forEver = (): Promise<never> => new Promise(() => setInterval(() => {}, 1000))
log.init({ ${options} sinks: [new log.ConsoleSink(), new log.FileSink(process.argv[2] ?? '')] })
for (let at = 0; at < ${COUNT / 2}; at++) log.info('line {}', at)
for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
for (let at = ${COUNT / 2}; at < ${COUNT}; at++) log.info('line {}', at)
${end}`
}

function linesAfter(source: string): { console: string[]; file: string[]; stderr: string } {
  const path = join(temporaryDirectory(), 'app.log')
  const { stdout, stderr } = runScript(source, { args: [path] })
  return { console: messagesOf(stdout), file: messagesOf(readFileSync(path, 'utf8')), stderr }
}

function messagesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => /\] (line \d+)$/.exec(line)?.[1] ?? [])
}

const MODES = [
  ['synchronous mode', ''],
  ["asynchronous mode with overflow 'drop'", 'async: true,'],
  ["asynchronous mode with overflow 'block'", "async: true, overflow: 'block', maxQueueSize: 100, flushIntervalMs: 1,"],
] as const

const ENDS = [
  ['process.exit', 'process.exit(0)'],
  ['the end of the program', ''],
  ['an uncaught exception', 'throw new Error("uncaught")'],
  ['an unhandled rejection', 'void Promise.reject(new Error("rejected")); await forEver()'],
  ['SIGTERM', 'process.kill(process.pid, "SIGTERM"); await forEver()'],
  ['SIGINT', 'process.kill(process.pid, "SIGINT"); await forEver()'],
  ['SIGHUP, as when a terminal is closed', 'process.kill(process.pid, "SIGHUP"); await forEver()'],
] as const

describe.each(MODES)('a logger in %s', (_mode, options) => {
  it.each(ENDS)('writes all lines in order at %s', (_what, end) => {
    const { console, file } = linesAfter(program(options, end))
    expect(console).toEqual(ALL)
    expect(file).toEqual(ALL)
  })
})

describe('a synchronous line', () => {
  it.each([
    ['SIGKILL', 'process.kill(process.pid, "SIGKILL"); while (true);'],
    ['abort', 'process.abort()'],
    ['SIGTERM in an endless loop', 'process.kill(process.pid, "SIGTERM"); while (true);'],
  ])('is written before %s', (_what, end) => {
    const { console, file } = linesAfter(program('', end))
    expect(console).toEqual(ALL)
    expect(file).toEqual(ALL)
  })
})

describe('a writer thread that is terminated', () => {
  const MORE = `for (let at = ${COUNT}; at < ${COUNT + 500}; at++) log.info('line {}', at)`
  const withMore = [...ALL, ...Array.from({ length: 500 }, (_, at) => `line ${COUNT + at}`)]

  it.each(MODES.slice(1))('has its remaining lines written by the main thread in %s', (_mode, options) => {
    const killed = program(options, `await Promise.all(threads.map((thread) => thread.terminate())); ${MORE}`)
    const { console, file, stderr } = linesAfter(killed)
    expect(console).toEqual(withMore)
    expect(file).toEqual(withMore)
    expect(stderr).toMatch(/log: FileSink failed: writer thread ended \(.*\)\. The main thread now writes the lines/)
  })

  it.each(MODES.slice(1))(
    'loses no lines if an error is logged before its end is detected, in %s',
    (_mode, options) => {
      const end = `for (const thread of threads) void thread.terminate()
${MORE}
log.error('now')
process.kill(process.pid, 'SIGKILL')`
      const { console, file } = linesAfter(program(options, end))
      expect(console).toEqual(withMore)
      expect(file).toEqual(withMore)
    },
  )
})

describe('a signal in asynchronous mode', () => {
  it('kills the process as it would without a logger', () => {
    const { signal } = runScript(program('async: true,', 'process.kill(process.pid, "SIGTERM"); await forEver()'), {
      args: [join(temporaryDirectory(), 'app.log')],
    })
    expect(signal).toBe('SIGTERM')
  })

  it.each(['on', 'once'])('does not kill the process if the application listens with process.%s', (method) => {
    const { stdout, status } = runScript(`
process.${method}('SIGTERM', () => setTimeout(() => { log.info('closed'); process.exit(7) }, 50))
log.init({ async: true })
process.kill(process.pid, 'SIGTERM')
setInterval(() => {}, 1000)`)
    expect(stdout).toMatch(/closed\n$/)
    expect(status).toBe(7)
  })
})

it('writes a record that is logged while the process exits', () => {
  const { stdout } = runScript(`
log.init({ async: true })
process.on('exit', () => log.info('last words'))
log.info('first words')`)
  expect(stdout).toMatch(/first words\n.*last words\n$/)
})

it.each([
  ['process.exit', '', 'process.exit(0)'],
  ['an uncaught exception', '', 'throw new Error("uncaught")'],
  [
    'SIGTERM in asynchronous mode',
    'async: true,',
    'process.kill(process.pid, "SIGTERM"); await new Promise(() => setInterval(() => {}, 1000))',
  ],
])('flushes a sink that buffers records at %s', (_what, options, end) => {
  const { stdout } = runScript(`
import { writeSync } from 'node:fs'
const held: string[] = []
log.init({ ${options} sinks: [{
  write: ({ message }) => void held.push(message),
  flush: () => { if (held.length > 0) writeSync(1, held.splice(0).join() + '\\n') },
  close() {},
}] })
log.info('a')
log.info('b')
${end}`)
  expect(stdout).toBe('a,b\n')
})

it.each(['', 'async: true'])('does not keep the process alive after init({ %s })', (options) => {
  const { status, signal } = runScript(`log.init({ ${options} }); log.info('x')`)
  expect([status, signal]).toEqual([0, null])
})

it('logs in a worker thread with its thread ID', () => {
  const { stdout } = runScript(`
import { Worker, isMainThread } from 'node:worker_threads'
log.init({ sinks: [new log.ConsoleSink({ showThreadId: true })] })
log.info('from {}', isMainThread ? 'main' : 'worker')
if (isMainThread) new Worker(new URL(import.meta.url))`)
  expect(stdout).toMatch(/\[t:0\] \[script\.ts:5\] from main\n.*\[t:1\] \[script\.ts:5\] from worker\n$/)
})
