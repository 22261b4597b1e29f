import { Level, MemorySink, setLevel, setSinks } from '@fw/log'
import type { Context, Middleware } from '@fw/types'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { accessLog, RequestLogger } from '../src/index.ts'
import { splitTarget } from '../src/capture/refused-entry.ts'
import { CASES, configOf, fields, levelOf, latin1, shown, type Case } from './case.ts'
import { fakeContext } from './fake-context.ts'

/** Runs the middleware in the order of a router, then the handler. */
async function runChain(chain: readonly Middleware[], ctx: Context, handler: () => void): Promise<void> {
  const [first, ...rest] = chain
  if (first === undefined) handler()
  else await first(ctx, () => runChain(rest, ctx, handler))
}

/** Reports whether both ways to access a `RequestLogger` find one. */
function requestLoggerIn(ctx: Context): 'present' | 'absent' {
  try {
    return ctx.local(RequestLogger) === ctx.get(RequestLogger) ? 'present' : 'absent'
  } catch {
    return ctx.get(RequestLogger) === null ? 'absent' : 'present'
  }
}

/** Reports whether a case needs a server. cases-server.test.ts runs these cases. */
const needsServer = (one: Case): boolean => one.response.from !== undefined

describe.runIf(CASES.length > 0)('access-log.json over a context', () => {
  const sink = new MemorySink()
  beforeEach(() => {
    sink.clear()
    setSinks([sink])
    // Some cases use callbacks that fail.
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  })
  afterAll(() => {
    setSinks([])
    setLevel(Level.Info)
  })
  console.log(`access-log.json: ${CASES.filter(needsServer).length} of ${CASES.length} cases need a server`)

  it.for(CASES.filter((one) => !needsServer(one)))('follows rule $rule: $name', async (one) => {
    const { request, response, group } = one
    setLevel(levelOf(one.threshold ?? 'trace'))
    const { path, query } = splitTarget(latin1(request.target))
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
