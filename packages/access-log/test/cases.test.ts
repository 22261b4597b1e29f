import { sharedCases } from '@fw/testing'
import { Level, MemorySink, setLevel, setSinks, type RuntimeFormat } from '@fw/log'
import type { Context, LevelNumber, LogRecord, Middleware } from '@fw/types'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { accessLog, RequestLogger, type AccessLogConfig } from '../src/index.ts'
import { splitTarget } from '../src/target.ts'
import { fakeContext } from './fake-context.ts'

type HeaderValue = string | { readonly $bytes: string }

interface Case {
  readonly name: string
  readonly rule: string
  readonly config: Record<string, unknown>
  readonly middleware?: boolean
  readonly group?: { readonly prefix: string; readonly config: Record<string, unknown> }
  readonly request: {
    readonly method: string
    readonly target: string
    readonly headers: Record<string, HeaderValue | readonly HeaderValue[]>
    readonly peer: string | null
    readonly raw?: string
  }
  readonly response: {
    readonly status: number
    readonly bytes: number | null
    readonly durationNs: number
    readonly headers: Record<string, HeaderValue | readonly HeaderValue[]>
    readonly protocol: Context['protocol']
    readonly aborted?: 'before-head' | 'after-head'
    readonly from?: 'throw' | 'no-route' | 'parser'
  }
  readonly threshold?: string
  readonly requestLog?: readonly { readonly op: 'info'; readonly args: readonly [RuntimeFormat, ...unknown[]] }[]
  readonly expectLine?: string | null
  readonly expectJson?: object
  readonly expectText?: string
  readonly expectLevel?: string | null
  readonly expectRequestLog?: readonly { readonly level: string; readonly text: string }[]
  readonly expectRequestLogger?: 'present' | 'absent'
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'off']
const levelOf = (name: string): LevelNumber => LEVELS.indexOf(name) as LevelNumber
const LEVEL_OPTIONS = ['normalLevel', 'clientErrorLevel', 'serverErrorLevel', 'slowLevel']

function octets(value: HeaderValue): string {
  const bytes = typeof value === 'string' ? Buffer.from(value) : Buffer.from(value.$bytes, 'hex')
  return bytes.toString('latin1')
}

function fields(headers: Case['request']['headers']): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat().map((one) => octets(one))]),
  )
}

function predicate(text: string): (ctx: Context) => boolean {
  if (text === 'throws') {
    return () => {
      throw new Error('as described')
    }
  }
  if (text.startsWith('header:')) return (ctx) => ctx.headers.has(text.slice('header:'.length))
  if (text === 'method==OPTIONS') return (ctx) => ctx.method === 'OPTIONS'
  if (text === 'status<400') return (ctx) => ctx.status < 400
  if (text === 'status==304') return (ctx) => ctx.status === 304
  throw new Error(`Unknown predicate: ${text}`)
}

function formatter(description: { $formatter?: string; $throws?: true }): (ctx: Context, ns: number) => string {
  const { $formatter: template } = description
  return (ctx, ns) => {
    if (template === undefined) throw new Error('as described')
    const values: Record<string, unknown> = { method: ctx.method, path: ctx.path, status: ctx.status, ns }
    return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name]))
  }
}

function configOf(described: Record<string, unknown>): AccessLogConfig {
  const config = { ...described }
  for (const name of LEVEL_OPTIONS) if (name in config) config[name] = levelOf(String(config[name]))
  if ('skipIf' in config) config['skipIf'] = predicate((config['skipIf'] as { $predicate: string }).$predicate)
  if ('customFormatter' in config) config['customFormatter'] = formatter(config['customFormatter'] as object)
  return config
}

/** Runs the middleware in the order a router would, then the handler. */
async function runChain(chain: readonly Middleware[], ctx: Context, handler: () => void): Promise<void> {
  const [first, ...rest] = chain
  if (first === undefined) handler()
  else await first(ctx, () => runChain(rest, ctx, handler))
}

/** Which of the two ways to get at it finds a `RequestLogger`. */
function requestLoggerIn(ctx: Context): 'present' | 'absent' {
  try {
    return ctx.local(RequestLogger) === ctx.get(RequestLogger) ? 'present' : 'absent'
  } catch {
    return ctx.get(RequestLogger) === null ? 'absent' : 'present'
  }
}

const cases = sharedCases('access-log.json') as readonly Case[]
/** What only a server can bring about; server.test.ts asks for the same. */
const needsServer = (one: Case): boolean => one.response.from !== undefined

describe.runIf(cases.length > 0)('access-log.json', () => {
  const sink = new MemorySink()
  beforeEach(() => {
    sink.clear()
    setSinks([sink])
    // Faults in callbacks are part of the cases.
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  })
  afterAll(() => {
    setSinks([])
    setLevel(Level.Info)
  })
  console.log(`access-log.json: ${cases.filter(needsServer).length} of ${cases.length} cases need a server`)

  it.for(cases.filter((one) => !needsServer(one)))('$rule: $name', async (one) => {
    const { request, response, group } = one
    setLevel(levelOf(one.threshold ?? 'trace'))
    const { path, query } = splitTarget(octets(request.target))
    const { ctx, finish } = fakeContext(
      {
        method: request.method,
        path,
        rawQuery: query,
        headers: fields(request.headers),
        remoteAddress: request.peer ?? undefined,
        protocol: response.protocol,
      },
      fields(response.headers),
    )
    const chain: Middleware[] = one.middleware === false ? [] : [accessLog(configOf(one.config))]
    if (group !== undefined && `${path}/`.startsWith(`${group.prefix}/`)) chain.push(accessLog(configOf(group.config)))

    const seen: Record<string, unknown> = {}
    const expected: Record<string, unknown> = {}
    const compare = (what: string, actual: unknown, wanted: unknown): void => {
      if (wanted === undefined) return
      seen[what] = actual
      expected[what] = wanted
    }

    let nowMs = 0
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    await runChain(chain, ctx, () => {
      for (const { op, args } of one.requestLog ?? []) ctx.local(RequestLogger)[op](...args)
      compare('requestLogger', requestLoggerIn(ctx), one.expectRequestLogger)
    })
    compare('requestLog', sink.records().map(shown), one.expectRequestLog)
    sink.clear()
    nowMs = response.durationNs / 1e6
    ctx.status = response.status
    finish({
      status: response.aborted === 'before-head' ? 0 : response.status,
      bodyBytes: response.bytes ?? 0,
      aborted: response.aborted !== undefined,
    })
    vi.restoreAllMocks()

    const entries = sink.records().map(shown)
    const [entry] = entries
    if (one.expectLine !== undefined || one.expectJson !== undefined) {
      compare('entries', entries.length, one.expectLine === null ? 0 : 1)
    }
    compare('line', entry?.text, one.expectLine ?? undefined)
    compare('text', entry?.text, one.expectText)
    compare('json', one.expectJson && JSON.stringify(JSON.parse(entry?.text ?? '')), JSON.stringify(one.expectJson))
    compare('level', entry?.level, one.expectLevel ?? undefined)
    expect(seen).toEqual(expected)
  })
})

function shown({ level, message }: LogRecord): { level: string | undefined; text: string } {
  return { level: LEVELS[level], text: message }
}
