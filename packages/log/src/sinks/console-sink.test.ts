import { existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runOnTerminal, runScript, temporaryDirectory } from '../../test/run-script.ts'
import { logRecord as record, sinkContract } from '../testing.ts'
import { createLogger } from '../root-logger.ts'
import { ColorMode } from './color.ts'
import { ConsoleSink, type ConsoleSinkConfig } from './console-sink.ts'
import { sinkAbilities, type LogSink } from './log-sink.ts'

interface Console {
  sink: ConsoleSink
  stdout: () => string
  stderr: () => string
}

/** Creates a console sink that writes to two files. */
function start(config: ConsoleSinkConfig = {}): Console {
  const directory = temporaryDirectory()
  const [out, err] = [join(directory, 'out'), join(directory, 'err')]
  return {
    sink: new ConsoleSink({ colorMode: ColorMode.Never, ...config }, [openSync(out, 'a'), openSync(err, 'a')]),
    stdout: () => readFileSync(out, 'utf8'),
    stderr: () => readFileSync(err, 'utf8'),
  }
}

sinkContract(
  'ConsoleSink',
  () => {
    const { sink, stdout } = start({ stderrForErrors: false })
    return { sink, entries: () => stdout().split('\n').slice(0, -1) }
  },
  it,
)

describe('ConsoleSink', () => {
  it('writes Error and Fatal to stderr, and other levels to stdout', () => {
    const { sink, stdout, stderr } = start()
    for (const level of [0, 1, 2, 3, 4, 5] as const) sink.write(record({ level, message: `<${level}>` }))
    expect([stdout().match(/<\d>/g), stderr().match(/<\d>/g)]).toEqual([
      ['<0>', '<1>', '<2>', '<3>'],
      ['<4>', '<5>'],
    ])
  })

  it.runIf(existsSync('/dev/full'))(
    'writes errors to stderr even while stdout is on a full disk and has queued lines',
    () => {
      const err = join(temporaryDirectory(), 'err')
      const sink = new ConsoleSink({ pattern: '{message}' }, [openSync('/dev/full', 'a'), openSync(err, 'a')])
      const settings = { flushIntervalMs: 100, maxQueueSize: 100, overflow: 'drop', onFailure: () => {} } as const
      ;(sink as LogSink)[sinkAbilities]?.useQueue?.(settings)
      sink.write(record({ level: 2, message: 'gathered' }))
      expect(() => sink.write(record({ level: 4, message: 'seen' }))).toThrow('ENOSPC')
      expect(readFileSync(err, 'utf8')).toBe('seen\n')
      expect(() => sink.close()).toThrow('ENOSPC')
    },
  )

  const FORGED = 'first\n[2026-01-02 03:04:05.006] [INFO ] forged\r\n\u001b[2Jlast'

  it('writes one line for each record to a pipe or a file', () => {
    const { sink, stdout } = start()
    sink.write(record({ message: FORGED }))
    expect(stdout().split('\n')).toHaveLength(2)
  })

  it.each(['record', 'call'])('marks each continuation line of a %s if multiline is true', (form) => {
    const { sink, stdout } = start({ multiline: true })
    if (form === 'record') sink.write(record({ message: FORGED }))
    else createLogger({ sinks: [sink] }).info(FORGED)
    const [first, ...others] = stdout().split('\n')
    expect(first).toMatch(/^\[.*\] first$/)
    expect(others).toEqual(['  | [2026-01-02 03:04:05.006] [INFO ] forged\\r', '  | \\x1b[2Jlast', ''])
  })

  it.each([
    ['{message} {fields}', 'a\n  | b -\n'],
    ['{message:.2}|{fields}', 'a\\|-\n'],
  ])('marks the continuation lines of a message with the pattern %j', (pattern, text) => {
    const { sink, stdout } = start({ multiline: true, pattern })
    sink.write(record({ message: 'a\nb' }))
    expect(stdout()).toBe(text)
  })

  it('shows the lines of a stack trace on a terminal', () => {
    const { stdout } = runOnTerminal(`
function fail(): never { throw new Error('outer', { cause: new TypeError('inner\\n[2026] forged') }) }
try { fail() } catch (error) { log.info(error, 'cannot start {}', 7) }`)
    const [first, ...others] = stdout.split(/\r?\n/).filter((line) => line !== '')
    expect(first).toMatch(/\] cannot start 7: Error: outer$/)
    expect(others).toContainEqual(expect.stringMatching(/^  \|     at fail \(.*script\.ts:3/))
    expect(others).toContainEqual(expect.stringMatching(/^  \|   \[cause\]: TypeError: inner$/))
    expect(others.filter((line) => !line.startsWith('  | '))).toEqual([])
  })

  it('writes every level to stdout if stderrForErrors is false', () => {
    const { sink, stdout, stderr } = start({ stderrForErrors: false })
    sink.write(record({ level: 5 }))
    expect([stdout(), stderr()]).toEqual([expect.stringContaining('hello'), ''])
  })

  it('colors only the level name', () => {
    const { sink, stdout } = start({ colorMode: ColorMode.Always })
    sink.write(record())
    expect(stdout()).toContain('] [\u001b[32mINFO \u001b[39m] hello\n')
  })

  it('follows the environment if colorMode is Auto', () => {
    const script = `log.info('x')`
    expect(runScript(script).stdout).not.toContain('\u001b')
    expect(runScript(script, { env: { FORCE_COLOR: '1' } }).stdout).toContain('\u001b[32m')
    expect(runScript(script, { env: { NO_COLOR: '1' } }).stdout).not.toContain('\u001b')
  })

  it.each<[string, unknown, RegExp]>([
    ['an unknown option', { color: true }, /^ConsoleSink: unknown option "color"\. Known options: /],
    [
      'a flag that is not a boolean',
      { showLocation: 'no' },
      /^ConsoleSink: option "showLocation" must be true or false, got "no"\./,
    ],
    [
      'an unknown color mode',
      { colorMode: 'sometimes' },
      /^ConsoleSink: option "colorMode" must be "auto", "always" or "never", got "sometimes"\./,
    ],
    [
      'an unknown level',
      { level: 'verbose' },
      /^ConsoleSink: option "level" must be one of Level\.Trace \(0\) to .*, got "verbose"\. Use a constant such as/,
    ],
  ])('rejects %s', (_what, config, message) => {
    expect(() => new ConsoleSink(config as ConsoleSinkConfig)).toThrow(message)
  })
})
