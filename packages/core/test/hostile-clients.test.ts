import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import * as log from '@fw/log'
import { sharedCaseFile, tempFolder, testCertificate } from '@fw/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { Server, type Context } from '../src/index.ts'

const http2Runner = sharedCaseFile('run-h2.mjs')
const slowRunner = sharedCaseFile('run-slow.mjs')

/** Short limits, so that the runners see connections end soon. */
const LIMITS = {
  firstByteTimeoutMs: 1000,
  headTimeoutMs: 1000,
  bodyStallTimeoutMs: 1000,
  keepAliveTimeoutMs: 1000,
  requestTimeoutMs: 1000,
  writeStallTimeoutMs: 1000,
  sessionIdleTimeoutMs: 1000,
}
/** Milliseconds that the HTTP/2 runner waits for the end of a silent connection: a multiple of the limits. */
const IDLE_MS = 2000

/** Result of one HTTP/2 case, as the runner reports it. */
interface Http2Result {
  readonly name: string
  /** Frames from the server and the state of the connection: `RST×1 PROTOCOL_ERROR, open`. */
  readonly got: string
  /** Status codes, as far as the runner decodes them: `lit` is one without an entry in the static table. */
  readonly status: readonly (number | string)[]
  /** Memory of the server in MiB, before and after: `96→98`. */
  readonly rss: string
}

const hasEnded = ({ got }: Http2Result): boolean => /\bclosed\b|GOAWAY/.test(got)
/** Reports whether the memory has not grown by more than that of the limits for one connection and some garbage. */
const isBounded = ({ rss }: Http2Result): boolean => {
  const [before = 0, after = Infinity] = rss.split('→').map(Number)
  return after - before < 64
}
const isReset = (result: Http2Result): boolean => hasEnded(result) || result.got.includes('RST')
const isRefused = (result: Http2Result): boolean =>
  !result.status.includes(200) && /RST|GOAWAY|HEADERS/.test(result.got)
const succeeds = ({ status }: Http2Result): boolean => status.includes(200)

/** The result that each case must have: that of the first pattern that matches its name. */
const EXPECTED: readonly [name: RegExp, isExpected: (result: Http2Result) => boolean][] = [
  // RFC 9110 §9.1: methods are case-sensitive, so this is a valid method of an unknown name.
  [/^malformed: :method lowercase/, succeeds],
  [/^malformed|^header|^cookie|^HPACK bomb:|^PUSH_PROMISE|^frame larger|^RST_STREAM on an idle/, isRefused],
  [/^unknown frame type|^SETTINGS never acknowledged/, succeeds],
  [/^zero window|^slow read|^window 0|^stream limit/, isReset],
  // RFC 9113 §6.5 does not limit the entries of a frame. The size of a frame does.
  [/^SETTINGS with 2000 entries/, ({ got }) => got !== ''],
  // The timeout of the request is a response: 408.
  [/^DATA body one octet/, isRefused],
  [/^PING flood|^SETTINGS flood/, (result) => hasEnded(result) || isBounded(result)],
  [/^/, hasEnded],
]

async function start(isTls: boolean): Promise<Server & { readonly port: number }> {
  const { key, cert } = await testCertificate()
  const server = new Server({ limits: LIMITS, ...(isTls ? { tls: { key, cert } } : {}) })
  const big = Buffer.alloc(1024 * 1024)
  server
    .router()
    .get('/big', (ctx) => ctx.bytes(big))
    .all('/*path', readBody)
  const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port })
}

async function readBody(ctx: Context): Promise<string> {
  return String((await ctx.bytes()).length)
}

async function run(runner: string, port: number, args: readonly string[]): Promise<unknown> {
  await using folder = await tempFolder()
  const json = folder.join('results.json')
  await promisify(execFile)(process.execPath, [runner, `127.0.0.1:${port}`, `--json=${json}`, ...args])
  return JSON.parse(readFileSync(json, 'utf8'))
}

beforeAll(() => log.setSinks([]))

describe.runIf(http2Runner)('an HTTP/2 client that sends hostile frames', () => {
  it.each([
    ['without TLS', false, []],
    ['over TLS', true, ['--tls', '--only=^malformed']],
  ])('gets errors, and its connection ends, %s', async (_, isTls, args) => {
    await using server = await start(isTls)
    const flags = [`--idle=${IDLE_MS}`, `--pid=${process.pid}`, ...args]
    const results = (await run(http2Runner ?? '', server.port, flags)) as Http2Result[]
    const isExpected = (result: Http2Result): boolean =>
      EXPECTED.find(([name]) => name.test(result.name))?.[1](result) === true
    expect(results.filter((result) => !isExpected(result))).toEqual([])
    expect(results.length).toBeGreaterThan(40)
    expect((await server.fetch('/')).status).toBe(200)
  })
})

describe.runIf(slowRunner)('an HTTP/1.1 client that makes no progress', () => {
  it('loses its connection after the limits', async () => {
    await using server = await start(false)
    const results = await run(slowRunner ?? '', server.port, ['--max=60'])
    const ends = Object.entries(results as Record<string, { how: string; status: string[] }>)
    expect(ends.filter(([, { how }]) => how !== 'closed')).toEqual([])
    expect(new Set(ends.flatMap(([, { status }]) => status))).toEqual(new Set(['200', '408']))
    expect(ends.length).toBeGreaterThan(10)
  })
})
