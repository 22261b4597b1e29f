import { randomInt } from 'node:crypto'
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { once } from 'node:events'
import * as log from '@fw/log'
import { settle, tempFolder, type ClientRequest, type ServerDemand, type TempFolder } from '@fw/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { App } from '../../src/app/app.ts'
import { appOf } from '../../src/app/app-of.ts'
import { Server, type Context } from '../../src/index.ts'
import { everyWay, type WayClient } from '../every-way.ts'
import { Random } from '@fw/testing/fuzz'
import { combination, type Combination } from './combination.ts'
import { handlerOf, middlewareOf, type Case } from './handler.ts'
import { Sources } from './sources.ts'

/** Number of ways in which a request reaches the handler: five protocols and four adapters. */
const WAYS = 9
/** Total number of combinations. */
const COMBINATIONS = Number(process.env['OWNERSHIP_COMBINATIONS'] ?? (process.env['CI'] === undefined ? 1800 : 10_000))
/** A new seed, which is printed. Set `FUZZ_SEED` to repeat a run. */
const SEED = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31))
/** Number of concurrent requests. */
const BATCH = 40
/** Time that a client waits for the end of a response. */
const PATIENCE_MS = 10_000

const unhandled: unknown[] = []
const noteRejection = (reason: unknown): void => void unhandled.push(reason)
const noteWarning = (warning: Error): void => void unhandled.push(warning)
const cases = new Map<string, Case>()
let folder: TempFolder
let file = ''
let server: Server
let count = 0

beforeAll(async () => {
  log.setSinks([])
  console.info(`ownership: ${COMBINATIONS} combinations from seed ${SEED}`)
  folder = await tempFolder()
  file = folder.join('file')
  writeFileSync(file, 'x'.repeat(100_000))
  process.on('unhandledRejection', noteRejection).on('warning', noteWarning)
})
afterAll(async () => {
  process.off('unhandledRejection', noteRejection).off('warning', noteWarning)
  await folder[Symbol.asyncDispose]()
})

/** Number of suites created so far, which determines the seed of each. */
let ways = 0

everyWay("a handler's body or result", start, (client) => {
  const seed = SEED * 100 + ways++
  it(`is released exactly once, in ${Math.ceil(COMBINATIONS / WAYS)} combinations of seed ${SEED}`, async () => {
    const random = new Random(seed)
    for (let left = Math.ceil(COMBINATIONS / WAYS); left > 0; left -= BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, left) }, () => combination(random))
      await expectNothingLeft(await Promise.all(batch.map((each) => run(client(), each))))
    }
    expect(unhandled).toEqual([])
  }, 600_000)

  it('is released exactly once while the server is closing', async () => {
    const random = new Random(seed + 50)
    const running = Array.from({ length: BATCH }, () => run(client(), combination(random)))
    await sleep(5)
    await server.close({ drainMs: 500 })
    await expectNothingLeft(await Promise.all(running))
    expect(unhandled).toEqual([])
  }, 60_000)
})

/** Waits until the requests have released all resources. */
async function expectNothingLeft(batch: readonly Case[]): Promise<void> {
  await expect.poll(() => batch.map(faultOf).filter((fault) => fault !== undefined), { timeout: 5000 }).toEqual([])
  await expect.poll(openFiles).toBe(0)
  for (const { begun } of batch) await Promise.allSettled(begun)
  await settle(1)
  // Check again, because a second release can occur late.
  expect(batch.map(faultOf).filter((fault) => fault !== undefined)).toEqual([])
}

/** Returns the unreleased resources as JSON, which a failed assertion prints in full. */
function faultOf({ combination: of, sources, ...running }: Case): string | undefined {
  const { entered, left, finished, decoding, decoded, isLate } = running
  const isReleased = entered === left && entered === finished && decoding === decoded
  if (isReleased && !isLate && sources.faults.length === 0) return undefined
  return JSON.stringify({ of, entered, left, finished, decoding, decoded, isLate, faults: sources.faults })
}

/** Sends one request, and disconnects if the combination requires it. */
async function run(client: WayClient, of: Combination): Promise<Case> {
  const id = String(count++)
  const { event } = of
  const running: Case = {
    combination: of,
    sources: new Sources(file),
    entered: 0,
    left: 0,
    finished: 0,
    isLate: false,
    decoding: 0,
    decoded: 0,
    begun: [],
    running: Promise.withResolvers(),
    drain: () => (appOf(server.router(), 'drain') as App).drain(),
  }
  cases.set(id, running)
  const leaving = new AbortController()
  const { signal } = leaving
  const patience = setTimeout(() => {
    running.isLate = true
    leaving.abort()
  }, PATIENCE_MS)
  try {
    const path = event === 'timeout' ? '/timed' : '/'
    const request = { path, headers: headersOf(of, id), signal }
    const hasBody = of.reader !== 'none' && event !== 'HEAD'
    const body = (): ClientRequest => ({ ...request, body: slicesOf(of, running, leaving) })
    const sent = client.request(hasBody ? body() : { ...request, method: event === 'HEAD' ? 'HEAD' : 'POST' })
    if (!hasBody && event.startsWith('disconnect') && event !== 'disconnect within the response') {
      void running.running.promise.then(() => leaving.abort())
    }
    const response = await sent
    for await (const _ of response.body) {
      if (event === 'disconnect within the response' || of.result === 'endless stream') {
        response.abort()
        break
      }
    }
  } catch {
    // Ignore the error: the client or the server has ended the request.
  } finally {
    clearTimeout(patience)
    leaving.abort()
    cases.delete(id)
  }
  return running
}

function headersOf({ reader }: Combination, id: string): NonNullable<ClientRequest['headers']> {
  const type = reader === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
  const isParts = reader.startsWith('part')
  return [
    ['x-case', id],
    ['content-type', isParts ? 'multipart/form-data; boundary=b' : type],
  ]
}

async function* slicesOf(
  { reader, event }: Combination,
  { running }: Case,
  leaving: AbortController,
): AsyncGenerator<Uint8Array> {
  const { signal } = leaving
  const leave = async (): Promise<void> => {
    leaving.abort()
    if (!signal.aborted) await once(signal, 'abort')
  }
  if (event === 'disconnect before the body') {
    await running.promise
    await leave()
    return
  }
  const text = reader === 'form' ? 'a=1&b=2' : reader.startsWith('part') ? PARTS : '{"a":"bcd"}'
  const middle = Math.floor(text.length / 2)
  yield Buffer.from(text.slice(0, middle))
  if (event === 'disconnect within the body') {
    await running.promise
    await sleep(1)
    await leave()
    return
  }
  yield Buffer.from(text.slice(middle))
}

const PARTS =
  ['a', 'b'].map((name) => `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\nhello\r\n`).join('') +
  '--b--\r\n'

function pathOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return ''
  }
}

/** Returns the number of open descriptors for the file. */
function openFiles(): number {
  return readdirSync('/proc/self/fd').filter((fd) => pathOf(fd) === file).length
}

async function start(demand: ServerDemand): Promise<Server & { readonly port: number }> {
  server = new Server({ ...(demand.tls === undefined ? {} : { tls: demand.tls }), http3: demand.http3 })
  const handle = handlerOf(caseOf)
  server.router().use(middlewareOf(caseOf)).all('/', handle).all('/timed', { timeoutMs: 5 }, handle)
  const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port })
}

/** Cases by context, for contexts whose client has disconnected. */
const known = new WeakMap<Context, Case>()

function caseOf(ctx: Context): Case {
  const running = cases.get(ctx.headers.get('x-case') ?? '') ?? known.get(ctx)
  if (running === undefined) throw new Error('The request must belong to a combination')
  known.set(ctx, running)
  return running
}
