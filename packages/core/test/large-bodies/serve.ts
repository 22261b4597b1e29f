import { createHash } from 'node:crypto'
import * as log from '@fw/log'
import type { ServerDemand } from '@fw/testing'
import { Server } from '../../src/index.ts'

/** The process's report to its parent. */
export type Report = { readonly port: number } | { readonly rssBytes: number } | { readonly abortedAtMs: number }

const MAX_BODY_BYTES = 2 ** 40

/** Starts the server in this process, so that its memory is measured separately. */
async function serve({ tls, http3 }: ServerDemand): Promise<void> {
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3, limits: { maxBodyBytes: MAX_BODY_BYTES } })
  server
    .router()
    .get('/', () => 'hello')
    .post('/unread', (ctx) => new Promise<void>((resolve) => ctx.onFinish(() => resolve())))
    .post('/pipe', (ctx) => ctx.stream(ctx.stream()))
    .post('/hash', async (ctx) => {
      const hash = createHash('sha256')
      for await (const slice of ctx.stream()) hash.update(slice)
      return hash.digest('hex')
    })
    .get('/waits', async (ctx) => {
      const finished = new Promise<void>((resolve) => ctx.onFinish(() => resolve()))
      ctx.startResponse().write(Buffer.from('waiting'))
      await finished
      report({ abortedAtMs: Date.now() })
    })
    .get('/breaks', (ctx) => {
      ctx.startResponse().write(Buffer.from('breaking'))
      setTimeout(() => {
        report({ abortedAtMs: Date.now() })
        ctx.exchange.abort()
      }, 100)
      return new Promise<void>((resolve) => ctx.onFinish(() => resolve()))
    })
  const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
  report({ port })
}

function report(what: Report): void {
  process.send?.(what)
}

log.setSinks([])
process.on('message', (message: ServerDemand | 'rss') => {
  if (message === 'rss') {
    globalThis.gc?.()
    report({ rssBytes: process.memoryUsage.rss() })
  } else void serve(message)
})
process.on('disconnect', () => process.exit())
