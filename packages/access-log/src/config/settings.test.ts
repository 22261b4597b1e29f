import { logger } from '@fw/log'
import { describe, expect, it } from 'vitest'
import type { AccessLogConfig } from './config.ts'
import { compile as compileFor, type Settings } from './settings.ts'

const compile = (config: AccessLogConfig): Settings => compileFor(config, logger)

describe('compile', () => {
  it('has the documented defaults', () => {
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

  it('takes an option that is undefined as absent', () => {
    expect(compile({ format: undefined, slowThreshold: undefined, trustProxy: undefined }).format).toBe('combined')
  })

  it.each([
    [0, Infinity],
    [0n, Infinity],
    [500_000_000, 500_000_000],
    [500_000_000n, 500_000_000],
  ])('takes a threshold of %s nanoseconds as %s', (slowThreshold, expected) => {
    expect(compile({ slowThreshold }).slowThresholdNs).toBe(expected)
  })

  it('compares header names without case, shows them as configured and each once', () => {
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
    [null, 'accessLog: the configuration is no object'],
    [['json'], 'accessLog: the configuration is no object'],
    ['json', 'accessLog: the configuration is no object'],
    [{ formt: 'json' }, "accessLog: there is no option 'formt'; there are: format, "],
    [{ __proto__: null, constructor: 1 }, "accessLog: there is no option 'constructor'"],
    [{ format: 'xml' }, 'accessLog: format is none of combined, common, json, custom'],
    [{ format: 'custom' }, 'accessLog: format is custom, so give a customFormatter'],
    [{ normalLevel: 'info' }, 'accessLog: normalLevel is no level, such as Level.Info'],
    [{ logQuery: 'no' }, 'accessLog: logQuery is no boolean'],
    [{ slowThreshold: '1s' }, 'accessLog: slowThreshold is no number of nanoseconds'],
    [{ requestHeaders: ['a b'] }, 'accessLog: requestHeaders is no list of field names'],
    [{ responseHeaders: 'x-a' }, 'accessLog: responseHeaders is no list of field names'],
    [{ skipPaths: [/x/] }, 'accessLog: skipPaths is no list of strings'],
    [{ skipIf: true }, 'accessLog: skipIf is no function'],
    [{ sampleRate: '10 %' }, 'accessLog: sampleRate is no number'],
    [{ logTraceContext: 1 }, 'accessLog: logTraceContext is no boolean'],
    [{ correlationHeader: '' }, 'accessLog: correlationHeader is no field name'],
    [{ trustProxy: true }, 'accessLog: option "trustProxy" must be false, '],
    [
      { trustProxy: { proxies: 1 } },
      'accessLog: option "trustProxy.header" must be "x-forwarded-for", "x-real-ip" or "forwarded", got undefined.',
    ],
    [{ trustProxy: ['proxy.example'] }, 'accessLog: option "trustProxy[0]" must be a CIDR block, got "proxy.example".'],
  ])('refuses %j', (config, message) => {
    const refused = (): unknown => compile(config as AccessLogConfig)
    expect(refused).toThrow(TypeError)
    expect(refused).toThrow(message)
  })

  it.each([
    { normalLevel: 7 },
    { slowLevel: 1.5 },
    { slowThreshold: -1 },
    { slowThreshold: NaN },
    { trustProxy: -1 },
    { sampleRate: 1.01 },
    { sampleRate: -0.1 },
    { sampleRate: NaN },
  ])('refuses %j, which is out of range', (config) => {
    expect(() => compile(config as AccessLogConfig)).toThrow(RangeError)
  })
})
