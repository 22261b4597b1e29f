import { mkdirSync, readdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { temporaryDirectory } from '../../test/run-script.ts'
import { logRecord as record } from '../testing.ts'
import { createLogger } from '../root-logger.ts'
import { FileSink, type FileSinkConfig } from './file-sink.ts'

/** Returns the lines of each file in a directory. */
function contents(directory: string): Record<string, string[]> {
  const names = readdirSync(directory).toSorted()
  return Object.fromEntries(
    names.map((name) => [name, readFileSync(join(directory, name), 'utf8').split('\n').slice(0, -1)]),
  )
}

function start(config: Omit<FileSinkConfig, 'path'>, before?: string): { sink: FileSink; directory: string } {
  const directory = temporaryDirectory()
  const path = join(directory, 'app.log')
  if (before !== undefined) writeFileSync(path, before)
  const sink = new FileSink({ path, pattern: '{message}', ...config })
  onTestFinished(() => sink.close())
  return { sink, directory }
}

describe('rotation by size', () => {
  it('starts a new file before a line that would exceed maxBytes, and keeps maxFiles files', () => {
    const { sink, directory } = start({ rotate: { maxBytes: 10, maxFiles: 2 } })
    for (const message of ['1234', '5678', 'third', '4', '5', 'sixth', '7777777']) sink.write(record({ message }))
    expect(contents(directory)).toEqual({
      'app.log': ['7777777'],
      'app.1.log': ['sixth'],
      'app.2.log': ['third', '4', '5'],
    })
  })

  it('counts bytes, including those in the existing file', () => {
    const { sink, directory } = start({ rotate: { maxBytes: 10 } }, 'before\n')
    sink.write(record({ message: 'éé' }))
    expect(contents(directory)).toEqual({ 'app.log': ['éé'], 'app.1.log': ['before'] })
  })

  it('writes a line that is longer than maxBytes to its own file', () => {
    const { sink, directory } = start({ rotate: { maxBytes: 3 } })
    for (const message of ['first', 'second']) sink.write(record({ message }))
    expect(contents(directory)).toEqual({ 'app.log': ['second'], 'app.1.log': ['first'] })
  })

  it('loses no lines in asynchronous mode', () => {
    const { sink, directory } = start({ rotate: { maxBytes: 100, maxFiles: 1000 } })
    const logger = createLogger({ async: true, flushIntervalMs: 1, sinks: [sink] })
    for (let at = 0; at < 500; at++) logger.info('{:04}', at)
    logger.shutdown()
    const files = contents(directory)
    const kept = Object.keys(files).length - 1
    const lines = Array.from({ length: kept }, (_, at) => files[`app.${kept - at}.log`] ?? []).flat()
    expect([...lines, ...(files['app.log'] ?? [])]).toEqual(
      Array.from({ length: 500 }, (_, at) => String(at).padStart(4, '0')),
    )
    expect(kept).toBe(24)
  })

  it('opens the file that another process has created', () => {
    const { sink, directory } = start({ rotate: { maxBytes: 6 } })
    sink.write(record({ message: 'first' }))
    renameSync(join(directory, 'app.log'), join(directory, 'app.1.log'))
    writeFileSync(join(directory, 'app.log'), '')
    sink.write(record({ message: 'next' }))
    expect(contents(directory)).toEqual({ 'app.log': ['next'], 'app.1.log': ['first'] })
  })

  it('reports a failure, continues with the current file and does not retry for each record', () => {
    const { sink, directory } = start({ rotate: { maxBytes: 6, maxFiles: 1 } })
    mkdirSync(join(directory, 'app.1.log', 'in the way'), { recursive: true })
    sink.write(record({ message: 'first' }))
    expect(() => sink.write(record({ message: 'second' }))).toThrow(/app\.1\.log/)
    sink.write(record({ message: 'third' }))
    expect(readFileSync(join(directory, 'app.log'), 'utf8')).toBe('first\nsecond\nthird\n')
  })
})

describe('rotation by time', () => {
  it.each([
    ['hour', '2096-05-01T10:59:59.999Z', '2096-05-01T11:00:00.000Z'],
    ['day', '2096-05-01T23:59:59.999Z', '2096-05-02T00:00:00.000Z'],
  ] as const)('starts a new file with the first record in a new %s', (every, last, first) => {
    const { directory } = start({}, 'before\n')
    const path = join(directory, 'app.log')
    utimesSync(path, Date.parse(last) / 1000, Date.parse(last) / 1000)
    const sink = new FileSink({ path, pattern: '{message}', utc: true, rotate: { every } })
    onTestFinished(() => sink.close())
    sink.write(record({ message: 'same', timeMs: Date.parse(last) }))
    sink.write(record({ message: 'next', timeMs: Date.parse(first) }))
    expect(contents(directory)).toEqual({ 'app.log': ['next'], 'app.1.log': ['before', 'same'] })
  })

  it.each([
    ['Asia/Kathmandu', '2096-05-01T10:14:59.999Z', '2096-05-01T10:15:00.000Z'],
    [
      'Europe/Berlin, when summer time ends and an hour repeats',
      '2096-10-28T00:59:59.999Z',
      '2096-10-28T01:00:00.000Z',
    ],
    [
      'Europe/Berlin, when summer time begins and an hour is missing',
      '2096-03-25T00:59:59.999Z',
      '2096-03-25T01:00:00.000Z',
    ],
  ])('starts a new file with each hour of local time: %s', (zone, last, first) => {
    vi.stubEnv('TZ', zone.replace(/,.*/, ''))
    onTestFinished(() => void vi.unstubAllEnvs())
    const { directory } = start({}, 'before\n')
    const path = join(directory, 'app.log')
    utimesSync(path, Date.parse(last) / 1000 - 1800, Date.parse(last) / 1000 - 1800)
    const sink = new FileSink({ path, pattern: '{message}', rotate: { every: 'hour' } })
    onTestFinished(() => sink.close())
    sink.write(record({ message: 'same', timeMs: Date.parse(last) }))
    sink.write(record({ message: 'next', timeMs: Date.parse(first) }))
    expect(contents(directory)).toEqual({ 'app.log': ['next'], 'app.1.log': ['before', 'same'] })
  })
})

describe('a file that was renamed', () => {
  it('starts a new file on reopen()', () => {
    const { sink, directory } = start({})
    sink.write(record({ message: 'a' }))
    renameSync(join(directory, 'app.log'), join(directory, 'old.log'))
    sink.write(record({ message: 'b' }))
    sink.reopen()
    sink.write(record({ message: 'c' }))
    expect(contents(directory)).toEqual({ 'app.log': ['c'], 'old.log': ['a', 'b'] })
  })

  it('is replaced on the reopenOn signal in asynchronous mode', async () => {
    const { sink, directory } = start({ reopenOn: 'SIGHUP' })
    const logger = createLogger({ async: true, flushIntervalMs: 60_000, sinks: [sink] })
    logger.info('a')
    renameSync(join(directory, 'app.log'), join(directory, 'old.log'))
    process.kill(process.pid, 'SIGHUP')
    while (!readdirSync(directory).includes('app.log')) await sleep(5)
    logger.info('b')
    logger.shutdown()
    expect(contents(directory)).toEqual({ 'app.log': ['b'], 'old.log': ['a'] })
  })
})

it.each<[unknown, string]>([
  [{}, 'option "rotate" must be an object with maxBytes or every, got neither. Add one of them'],
  [{ maxBytes: 0 }, 'option "rotate.maxBytes" must be a positive integer, got 0.'],
  [{ maxBytes: null }, 'option "rotate.maxBytes" must be a positive integer, got null.'],
  [{ maxBytes: '1k' }, 'option "rotate.maxBytes" must be a positive integer, got "1k".'],
  [{ every: 'week' }, 'option "rotate.every" must be "hour" or "day", got "week".'],
  [{ every: 'day', maxFiles: 0 }, 'option "rotate.maxFiles" must be an integer from 1 to 1000, got 0.'],
  [{ every: 'day', keep: 7 }, 'unknown option "rotate.keep". Use rotate.maxFiles instead.'],
  [{ every: 'day', size: 1 }, 'unknown option "rotate.size". Known options: maxBytes, every, maxFiles.'],
  [null, 'option "rotate" must be an object, got null.'],
])('rejects %j', (rotate, message) => {
  const path = join(temporaryDirectory(), 'app.log')
  expect(() => new FileSink({ path, rotate } as FileSinkConfig)).toThrow(`FileSink: ${message}`)
})
