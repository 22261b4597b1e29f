import * as log from '@fw/log'
import { describe, expect, it } from 'vitest'
import type { AccessLogConfig } from './config.ts'
import { compile as compileFor, type Settings } from './settings.ts'

const compile = (config: AccessLogConfig): Settings => compileFor(config, log.logger)

describe('compile', () => {
  it('returns the documented defaults', () => {
    expect(compile({})).toMatchObject({
      format: 'combined',
      normalLevel: 2,
      clientErrorLevel: 3,
      serverErrorLevel: 4,
      slowThresholdNs: Infinity,
      slowLevel: 3,
      logQuery: true,
      logClientIp: true,
      logBytes: true,
      logProtocol: true,
      requestHeaders: [],
      responseHeaders: [],
      skipPaths: new Set(),
      skipIf: undefined,
      customFormatter: undefined,
      correlationHeader: 'x-request-id',
      logTraceContext: false,
      sampleRate: 1,
      redactQuery: new Set(),
    })
  })

  it.each(['debug', 'DEBUG', 1] as const)('accepts the level %j', (level) => {
    const levels = { normalLevel: level, clientErrorLevel: level, serverErrorLevel: level, slowLevel: level }
    expect(compile(levels)).toMatchObject({
      normalLevel: 1,
      clientErrorLevel: 1,
      serverErrorLevel: 1,
      slowLevel: 1,
    })
  })

  it('treats an option that is undefined as absent', () => {
    expect(compile({ format: undefined, slowThreshold: undefined, trustProxy: undefined }).format).toBe('combined')
  })

  it.each([
    [0, Infinity],
    [0n, Infinity],
    [500_000_000, 500_000_000],
    [500_000_000n, 500_000_000],
  ])('converts a threshold of %s nanoseconds to %s', (slowThreshold, expected) => {
    expect(compile({ slowThreshold }).slowThresholdNs).toBe(expected)
  })

  it.each([
    [0, Infinity],
    [0.5, 500_000],
    [500, 500_000_000],
    [Infinity, Infinity],
  ])('converts a threshold of %d milliseconds to %d nanoseconds', (slowThresholdMs, expected) => {
    expect(compile({ slowThresholdMs }).slowThresholdNs).toBe(expected)
  })

  it('compares header names case-insensitively and keeps the first spelling of each', () => {
    const { requestHeaders } = compile({
      requestHeaders: ['User-Agent', 'authorization', 'User-Agent'],
      redactHeaders: ['Authorization'],
    })
    expect(requestHeaders).toEqual([
      { label: 'User-Agent', name: 'user-agent', isRedacted: false },
      { label: 'authorization', name: 'authorization', isRedacted: true },
    ])
  })

  it.each<[unknown, string]>([
    [null, 'accessLog: options must be an object, got null. Known options: format, '],
    [['json'], 'accessLog: options must be an object, got an array. Known options: format, '],
    ['json', 'accessLog: options must be an object, got "json". Known options: format, '],
    [{ formt: 'json' }, 'accessLog: unknown option "formt". Did you mean "format"? Known options: format, '],
    [{ __proto__: null, constructor: 1 }, 'accessLog: unknown option "constructor". Known options: format, '],
    [
      { format: 'xml' },
      'accessLog: option "format" must be "combined", "common", "json", "fields" or "custom", got "xml".',
    ],
    [
      { format: 'custom' },
      'accessLog: option "customFormatter" must be a function if format is "custom", got undefined. Add a customFormatter',
    ],
    [
      { normalLevel: 'loud' },
      'accessLog: option "normalLevel" must be one of Level.Trace (0) to Level.Off (6) or a name such as "debug", got "loud". Use a constant such',
    ],
    [
      { logger: { info() {} } },
      'accessLog: option "logger" must be a logger from @fw/log, got an object. Pass log.logger, or a logger from log.with() or',
    ],
    [{ logger: log }, 'accessLog: option "logger" must be a logger from @fw/log, got an object. Pass log.logger, or a'],
    [{ sinks: new log.MemorySink() }, 'accessLog: option "sinks" must be an array of sinks, got a MemorySink.'],
    [{ sinks: [{}] }, 'accessLog: option "sinks[0]" must be a sink with write(), flush() and close(), got an object.'],
    [
      { generateRequestId: 'yes' },
      'accessLog: option "generateRequestId" must be true or false or a function, got "yes".',
    ],
    [{ logQuery: 'no' }, 'accessLog: option "logQuery" must be true or false, got "no".'],
    [
      { slowThreshold: '1s' },
      'accessLog: option "slowThreshold" must be a number or bigint of nanoseconds, at least 0, got "1s". ' +
        'Use slowThresholdMs to give milliseconds.',
    ],
    [{ slowThresholdMs: 1n }, 'option "slowThresholdMs" must be a number of milliseconds, at least 0, got 1n.'],
    [
      { slowThreshold: 0, slowThresholdMs: 500 },
      'accessLog: option "slowThresholdMs" must be omitted if slowThreshold is 0, got 500. ' +
        'Give slowThreshold or slowThresholdMs, but not both.',
    ],
    [{ requestHeaders: ['a b'] }, 'accessLog: option "requestHeaders[0]" must be a field name, got "a b".'],
    [{ responseHeaders: 'x-a' }, 'accessLog: option "responseHeaders" must be an array of field names, got "x-a".'],
    [{ skipPaths: [/x/] }, 'accessLog: option "skipPaths[0]" must be a string, got a RegExp.'],
    [{ skipIf: true }, 'accessLog: option "skipIf" must be a function, got true.'],
    [{ sampleRate: '10 %' }, 'accessLog: option "sampleRate" must be a number from 0 to 1, got "10 %".'],
    [{ logTraceContext: 1 }, 'accessLog: option "logTraceContext" must be true or false, got 1.'],
    [{ correlationHeader: '' }, 'accessLog: option "correlationHeader" must be a field name, got "".'],
    [{ trustProxy: true }, 'accessLog: option "trustProxy" must be false, '],
    [
      { trustProxy: { proxies: 1 } },
      'accessLog: option "trustProxy.header" must be "x-forwarded-for", "x-real-ip" or "forwarded", got undefined.',
    ],
    [{ trustProxy: ['proxy.example'] }, 'accessLog: option "trustProxy[0]" must be a CIDR block, got "proxy.example".'],
  ])('rejects %o', (config, message) => {
    const refused = (): unknown => compile(config as AccessLogConfig)
    expect(refused).toThrow(TypeError)
    expect(refused).toThrow(message)
  })

  it.each([
    { normalLevel: 7 },
    { slowLevel: 1.5 },
    { slowThreshold: -1 },
    { slowThreshold: NaN },
    { slowThreshold: -1n },
    { slowThresholdMs: -1 },
    { slowThresholdMs: NaN },
    { trustProxy: -1 },
    { sampleRate: 1.01 },
    { sampleRate: -0.1 },
    { sampleRate: NaN },
  ])('rejects %o, which is out of range', (config) => {
    expect(() => compile(config as AccessLogConfig)).toThrow(RangeError)
  })
})
