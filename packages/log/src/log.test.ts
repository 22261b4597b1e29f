import { beforeEach, describe, expect, it } from 'vitest'
import { runScript } from '../test/run-script.ts'
import * as log from './index.ts'

const memory = new log.MemorySink()
beforeEach(() => {
  log.init({ sinks: [memory] })
  memory.clear()
})

/** The live bindings, by name. */
const methods: Readonly<typeof log> = log

const MACROS = [
  ['trace', 'FW_LOG_TRACE', 0],
  ['debug', 'FW_LOG_DEBUG', 1],
  ['info', 'FW_LOG_INFO', 2],
  ['warn', 'FW_LOG_WARN', 3],
  ['error', 'FW_LOG_ERROR', 4],
  ['fatal', 'FW_LOG_FATAL', 5],
] as const

it.each(MACROS)('logs with %s and %s at level %i', (method, macro, level) => {
  log.setLevel(log.Level.Trace)
  methods[method]('{}', 'by method')
  methods[macro]('{}', 'by macro')
  expect(memory.records()).toMatchObject([
    { level, message: 'by method' },
    { level, message: 'by macro' },
  ])
})

it.each(MACROS)('ignores %s and %s if the threshold is above level %i', (method, macro, level) => {
  log.setLevel((level + 1) as log.Level)
  methods[method]('x')
  methods[macro]('x')
  expect(memory.size()).toBe(0)
})

describe('the global logger', () => {
  it('starts at level Info and follows init() and setLevel()', () => {
    expect(log.getLevel()).toBe(log.Level.Info)
    log.init({ level: log.Level.Debug })
    log.debug('a')
    log.setLevel(log.Level.Warn)
    log.info('b')
    expect([log.isEnabled(log.Level.Info), log.isEnabled(log.Level.Warn), log.isEnabled(log.Level.Off)]).toEqual([
      false,
      true,
      false,
    ])
    expect(memory.messages()).toEqual(['a'])
  })

  it('is exported as log.logger', () => {
    log.logger.info('as a value')
    log.with({ a: 1 }).info('as a child')
    expect(memory.records()).toMatchObject([{ message: 'as a value' }, { message: 'as a child', fields: { a: 1 } }])
    log.setLevel(log.Level.Error)
    expect(log.logger.isEnabled(log.Level.Warn)).toBe(false)
  })

  it('adds and replaces sinks', () => {
    const added = new log.MemorySink()
    log.addSink(added)
    log.info('both')
    log.setSinks([added])
    log.info('one')
    expect([memory.messages(), added.messages()]).toEqual([['both'], ['both', 'one']])
  })

  it('rejects unknown options', () => {
    expect(() => log.init({ asink: true } as log.LogOptions)).toThrow(
      'init: unknown option "asink". Did you mean "sinks"? Known options: level, ',
    )
  })

  it('counts records and flushes', async () => {
    const before = log.stats().written
    log.info('x')
    await log.flush()
    log.shutdown()
    expect(log.stats().written).toBe(before + 1)
  })
})

describe('the global logger without init', () => {
  it('writes records from Info to the console, and errors to stderr', () => {
    const { stdout, stderr } = runScript(`
log.debug('not this')
log.info('listening on {}:{}', '127.0.0.1', 80)
log.error('bad')`)
    expect(stdout).toMatch(
      /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\] \[INFO \] \[script\.ts:4\] listening on 127\.0\.0\.1:80\n$/,
    )
    expect(stderr).toMatch(/\] \[ERROR\] \[script\.ts:5\] bad\n$/)
  })

  it('keeps the console sink when a sink is added', () => {
    const { stdout } = runScript(`
const memory = new log.MemorySink()
log.addSink(memory)
log.info('twice')
console.log(memory.messages().join())`)
    expect(stdout).toMatch(/\] twice\ntwice\n$/)
  })
})

describe('FW_LOG_LEVEL', () => {
  const COUNT = `
log.debug('a'); log.info('b')
log.init(); log.debug('c')
log.init({ level: log.Level.Warn }); log.info('d'); log.warn('e')`

  it.each([
    ['debug', 'abce', ''],
    ['Warn', 'e', ''],
    ['', 'be', ''],
    [
      'loud',
      'be',
      'log: FW_LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, off, got "loud". Using info.',
    ],
  ])('sets the level to %j if the application does not set one', (level, letters, warning) => {
    const { stdout, stderr } = runScript(COUNT, { env: { FW_LOG_LEVEL: level } })
    expect(stdout.match(/\w$/gm)?.join('')).toBe(letters)
    expect(stderr).toContain(warning)
    expect(stderr === '').toBe(warning === '')
  })
})

it('shows the process ID in a worker process of node:cluster', () => {
  const { stdout } = runScript(`
import cluster from 'node:cluster'
import { once } from 'node:events'
log.init({ sinks: [new log.ConsoleSink({ showThreadId: true, showLocation: false }), new log.JsonSink()] })
if (cluster.isPrimary) {
  const worker = cluster.fork()
  await once(worker, 'exit')
  log.info('worker was {}', worker.process.pid)
} else {
  log.info('worker')
  process.exit()
}`)
  const [, pid] = /worker was (\d+)/.exec(stdout) ?? []
  expect(stdout).toContain(`[INFO ] [p:${pid}] [t:0] worker\n`)
  expect(stdout).toMatch(new RegExp(`"message":"worker",.*"pid":${pid}}`))
  expect(stdout).toContain('[INFO ] [t:0] worker was')
})
