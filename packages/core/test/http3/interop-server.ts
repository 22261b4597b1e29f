import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { testCertificate } from '@fw/testing'
import { createLogger, Level } from '@fw/log'
import type { Outcome } from '@fw/types'
import { Server } from '../../src/index.ts'

export const MIB = 1024 * 1024
/** Content that makes lost, duplicated or reordered parts detectable. */
export const LARGE: Buffer = Buffer.concat(Array.from({ length: 1024 }, (_, i) => Buffer.alloc(1024, `${i} `)))

/** Server for clients from other implementations, with a record of their requests. */
export interface InteropServer extends AsyncDisposable {
  readonly server: Server
  readonly port: number
  readonly origin: string
  /** Outcomes of the exchanges for `/ticks`. */
  readonly ends: Outcome[]
  /** Protocol of each request, in order. */
  readonly protocols: string[]
}

export async function startInterop(page = 'hello'): Promise<InteropServer> {
  const ends: Outcome[] = []
  const protocols: string[] = []
  const server = new Server({
    http3: true,
    logger: createLogger({ level: Level.Off }),
    limits: { maxBodyBytes: 64 * MIB },
  })
  server
    .router()
    .use(async (ctx, next) => {
      protocols.push(ctx.protocol)
      await next()
    })
    .get('/', (ctx) => ctx.html(page))
    .get('/large', () => LARGE)
    .get('/nothing', (ctx) => ctx.empty())
    .get('/unchanged', (ctx) => ctx.empty(304))
    .post('/echo', (ctx) => ctx.stream(ctx.stream()))
    .post('/count', async (ctx) => String((await ctx.bytes()).length))
    .post('/refused', (ctx) => ctx.text('no', { status: 403 }))
    .get('/broken', async (ctx) => {
      const body = ctx.startResponse()
      body.write(Buffer.from('begun'))
      await sleep(20)
      throw new Error('broken')
    })
    .get('/ticks', async (ctx) => {
      ctx.exchange.onClose = (outcome) => ends.push(outcome)
      ctx.responseHeaders.set('content-type', 'text/event-stream')
      const body = ctx.startResponse()
      for (let i = 0; !ctx.signal.aborted; i++) {
        body.write(Buffer.from(`data: ${i}\n\n`))
        await sleep(20)
      }
    })
  const { key, cert } = await testCertificate()
  const { url, port } = await server.listen({ port: 0, host: '127.0.0.1', tls: { key, cert } })
  return {
    server,
    port: port ?? 0,
    origin: url.origin,
    ends,
    protocols,
    [Symbol.asyncDispose]: () => server.close({ drainMs: 0 }),
  }
}

/** Returns a digest in the format of the quic-go client. */
export function digest(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 8)
}
