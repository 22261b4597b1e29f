import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { LogRecord } from '@fw/types'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { runScript, temporaryDirectory } from '../../test/run-script.ts'
import { logRecord as record, sinkContract } from '../testing.ts'
import { createLogger } from '../root-logger.ts'
import { FileSink, type FileSinkConfig } from './file-sink.ts'
import { MemorySink } from './memory-sink.ts'

beforeAll(() => {
  process.env.TZ = 'UTC'
})

function temporaryFile(): string {
  return join(temporaryDirectory(), 'app.log')
}

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').slice(0, -1)
}

sinkContract(
  'FileSink',
  () => {
    const path = temporaryFile()
    return { sink: new FileSink(path), entries: () => linesOf(path) }
  },
  it,
)

sinkContract(
  'FileSink without locations',
  () => {
    const path = temporaryFile()
    return { sink: new FileSink({ path, showLocation: false }), entries: () => linesOf(path) }
  },
  it,
)

it("calls a subclass's write() for every record, including those with a faster path", () => {
  class Shouting extends FileSink {
    override write(entry: LogRecord): boolean {
      return super.write({ ...entry, message: entry.message.toUpperCase() })
    }
  }
  const path = temporaryFile()
  const logger = createLogger({ sinks: [new Shouting({ path, pattern: '{message}' }), new Shouting(path)] })
  logger.info('listening on {}', 80)
  expect(linesOf(path)).toEqual(['LISTENING ON 80', expect.stringMatching(/\] LISTENING ON 80$/)])
})

describe('a file', () => {
  it("contains lines in the console's form, without colors", () => {
    const path = temporaryFile()
    const location = { file: '/src/app.ts', line: 7, functionName: '' }
    new FileSink(path).write(record({ location, level: 4 }))
    expect(readFileSync(path, 'utf8')).toBe('[2026-01-02 03:04:05.006] [ERROR] [app.ts:7] hello\n')
  })

  it.each<[Omit<FileSinkConfig, 'path'>, string]>([
    [{ showLocation: false }, '[INFO ] hello'],
    [{ showThreadId: true }, '[INFO ] [t:5] [app.ts:7] hello'],
  ])('formats a record with the options %j as %s', (config, rest) => {
    const path = temporaryFile()
    const location = { file: '/src/app.ts', line: 7, functionName: '' }
    new FileSink({ path, ...config }).write(record({ location, threadId: 5 }))
    expect(linesOf(path)).toEqual([`[2026-01-02 03:04:05.006] ${rest}`])
  })

  it('is created with its parent directories, even if its path is a URL', () => {
    const path = join(temporaryDirectory(), 'a', 'b', 'app.log')
    new FileSink(pathToFileURL(path)).write(record())
    expect(linesOf(path)).toHaveLength(1)
  })

  it('keeps its content unless append is false', () => {
    const path = temporaryFile()
    writeFileSync(path, 'before\n')
    new FileSink(path).write(record())
    expect(linesOf(path)).toHaveLength(2)
    new FileSink({ path, append: false }).write(record())
    expect(linesOf(path)).toHaveLength(1)
  })

  it('receives lines from two sinks at the same time, even after it was truncated', () => {
    const path = temporaryFile()
    const [first, second] = [new FileSink(path), new FileSink(path)]
    first.write(record({ message: 'a' }))
    second.write(record({ message: 'b' }))
    writeFileSync(path, '')
    first.write(record({ message: 'c' }))
    second.write(record({ message: 'd' }))
    expect(linesOf(path).map((line) => line.slice(-1))).toEqual(['c', 'd'])
    expect(readFileSync(path, 'utf8')).not.toContain('\0')
  })
})

function modeOf(path: string): number {
  return statSync(path).mode & 0o777
}

function withoutUmask(): void {
  const umask = process.umask(0)
  onTestFinished(() => void process.umask(umask))
}

// Windows does not support these permission bits.
describe.runIf(process.platform !== 'win32')('the mode of a log file', () => {
  it.each<[string, Partial<FileSinkConfig>, number]>([
    ['0640 by default', {}, 0o640],
    ["the option's mode", { mode: 0o600 }, 0o600],
    ["the option's mode, wider than the default", { mode: 0o664 }, 0o664],
    ['the same with append: false', { append: false }, 0o640],
  ])('is %s', (_which, options, mode) => {
    withoutUmask()
    const path = temporaryFile()
    new FileSink({ path, ...options }).close()
    expect(modeOf(path)).toBe(mode)
  })

  it('loses the bits in the umask', () => {
    const umask = process.umask(0o077)
    onTestFinished(() => void process.umask(umask))
    const path = temporaryFile()
    new FileSink(path).close()
    expect(modeOf(path)).toBe(0o600)
  })

  it.each<[number | undefined, number]>([
    [undefined, 0o640],
    [0o600, 0o600],
  ])('applies the mode %s to files that rotation and reopen() create', (mode, expected) => {
    withoutUmask()
    const path = temporaryFile()
    const sink = new FileSink({ path, ...(mode === undefined ? {} : { mode }), rotate: { maxBytes: 1 } })
    for (let at = 0; at < 2; at++) sink.write(record())
    expect([modeOf(path), modeOf(path.replace('.log', '.1.log'))]).toEqual([expected, expected])
    renameSync(path, `${path}.old`)
    sink.reopen()
    expect(modeOf(path)).toBe(expected)
    sink.close()
  })

  it('does not change for an existing file', () => {
    const path = temporaryFile()
    writeFileSync(path, 'before\n')
    chmodSync(path, 0o666)
    new FileSink(path).close()
    expect(modeOf(path)).toBe(0o666)
  })
})

describe('a file that cannot be opened', () => {
  it('is reported if the system cannot create its directory', () => {
    expect(() => new FileSink('/proc/fw-log/app.log')).toThrow("Cannot open log file '/proc/fw-log/app.log': ")
  })

  it.each([
    ['is a directory', (directory: string) => directory, /illegal operation on a directory \(EISDIR\)$/],
    ['is below a file', (directory: string) => join(directory, 'file', 'x'), /file' is not a directory \(EEXIST\)$/],
    ['has too long a name', (directory: string) => join(directory, 'x'.repeat(300)), /name too long \(ENAMETOOLONG\)$/],
    ['has NUL in its name', (directory: string) => join(directory, 'a\0b'), /null bytes/],
  ])('is reported in one line with its path and the reason if it %s', (_why, pathIn, reason) => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'file'), '')
    const path = pathIn(directory)
    expect(() => new FileSink(path)).toThrow(reason)
    expect(() => new FileSink(path)).toThrow(`Cannot open log file '${path}': `)
    expect(() => new FileSink(path)).toThrow(expect.objectContaining({ cause: expect.any(Error) }))
  })
})

function makePipe(): string {
  const path = join(temporaryDirectory(), 'pipe')
  execFileSync('mkfifo', [path])
  return path
}

describe('a named pipe', () => {
  it('is rejected immediately if it has no reader', () => {
    const path = makePipe()
    const reason = 'no process reads from this named pipe; start its reader first (ENXIO)'
    expect(() => new FileSink(path)).toThrow(`Cannot open log file '${path}': ${reason}`)
  })

  it.each(['', "async: true, overflow: 'block',"])(
    'passes every line to a slow reader after init({ %s })',
    async (options) => {
      const path = makePipe()
      const held = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
      onTestFinished(() => closeSync(held))
      const copy = temporaryFile()
      const reader = spawn('sh', ['-c', 'exec 3<"$0"; sleep 0.2; exec cat <&3 >"$1"', path, copy], { stdio: 'ignore' })
      onTestFinished(() => void reader.kill('SIGKILL'))
      const ended = once(reader, 'exit')
      // The lines exceed the capacity of a pipe many times over.
      const { stderr } = runScript(
        `
log.init({ ${options} sinks: [new log.FileSink({ path: process.argv[2] ?? '', pattern: '{message}' })] })
for (let at = 0; at < 5000; at++) log.info('line {} {}', at, 'x'.repeat(60))`,
        { args: [path] },
      )
      expect(stderr).toBe('')
      expect(await ended).toEqual([0, null])
      expect(readFileSync(copy, 'utf8')).toBe(
        Array.from({ length: 5000 }, (_, at) => `line ${at} ${'x'.repeat(60)}\n`).join(''),
      )
    },
  )
})

it.each<[string, unknown, RegExp]>([
  [
    'a missing path',
    {},
    /^FileSink: option "path" must be a non-empty string or a file URL, got undefined\. Write, for/,
  ],
  ['an empty path', '', /^FileSink: option "path" must be .*, got ""\. Write, for example, "logs\/app\.log"\.$/],
  [
    'a URL that is not a file',
    new URL('http://host/app.log'),
    /^FileSink: option "path" must be .* file URL, got "http:\/\/host\/app\.log"\./,
  ],
  ['a path that is a number', { path: 1 }, /^FileSink: option "path" must be .*, got 1\./],
  [
    'a flag that is not a boolean',
    { path: 'x', append: 1 },
    /^FileSink: option "append" must be true or false, got 1\./,
  ],
  ['an unknown option', { path: 'x', owner: 1 }, /^FileSink: unknown option "owner"\. Known options: path, /],
  [
    'a mode that is text',
    { path: 'x', mode: '0640' },
    /^FileSink: option "mode" must be permission bits from 0o200 to 0o777 with 0o200 set, got "0640"\. Write an octal/,
  ],
  [
    'a mode in decimal digits',
    { path: 'x', mode: 640 },
    /^FileSink: option "mode" must be .*, got 640\. Write an octal/,
  ],
  ['a mode without write permission', { path: 'x', mode: 0o440 }, /^FileSink: option "mode" must be .*, got 288\./],
  [
    'an unknown level',
    { path: 'x', level: 9 },
    /^FileSink: option "level" must be one of Level\.Trace \(0\) to Level\.Off \(6\) or a name such as "debug", got 9\./,
  ],
  [
    'undefined',
    undefined,
    /^FileSink: options must be an object, got undefined\. Known options: path, append, mode, rotate, /,
  ],
])('rejects %s', (_what, config, message) => {
  expect(() => new FileSink(config as FileSinkConfig)).toThrow(message)
})

// This device is always full.
describe.runIf(existsSync('/dev/full'))('a full disk', () => {
  it('is counted without affecting the caller or other sinks', () => {
    const memory = new MemorySink()
    const logger = createLogger({ sinks: [new FileSink('/dev/full'), memory] })
    for (let at = 0; at < 3; at++) logger.info('x')
    expect(logger.stats().sinkErrors).toBe(3)
    expect(memory.size()).toBe(3)
  })

  it('is reported once on stderr', () => {
    const { stderr, status } = runScript(`
log.init({ sinks: [new log.FileSink('/dev/full')] })
for (let at = 0; at < 100; at++) log.info('x')`)
    expect(stderr).toBe('log: FileSink failed: ENOSPC: no space left on device, write\n')
    expect(status).toBe(0)
  })
})
