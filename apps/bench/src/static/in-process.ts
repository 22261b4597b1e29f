// Compares a cached file with the same response from a handler, without sockets: node src/static/in-process.ts [rounds]
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { App } from '@fw/core'
import { staticFiles } from '@fw/static'
import { minimumCosts, printCosts } from '../minimum-cost.ts'
import { SilentExchange } from '../router/silent-exchange.ts'
import { FILES } from './files.ts'

const FIELDS = ['host', 'localhost', 'accept', '*/*', 'accept-encoding', 'gzip, deflate, br, zstd']
const BODY = FILES['1k.css']

function request(app: App, fields: readonly string[]): () => void {
  return () => app.handle(new SilentExchange('GET', '/1k.css', fields, undefined))
}

const scratch = await mkdtemp(join(tmpdir(), 'fw-static-'))
try {
  await writeFile(join(scratch, '1k.css'), BODY)
  // staticFiles does not cache a file that was modified recently.
  await delay(100)
  const files = new App()
  staticFiles(files.router, '/', scratch)
  const etag = (await files.fetch('/1k.css')).headers.get('etag') ?? ''
  const byHand = new App()
  byHand.router.get('/1k.css', (ctx) => {
    const headers = ctx.responseHeaders
    headers.set('etag', etag)
    headers.set('last-modified', 'Sat, 03 Feb 2024 04:05:06 GMT')
    if (ctx.headers.get('if-none-match') !== null) {
      ctx.empty(304)
      return
    }
    headers.set('content-type', 'text/css; charset=utf-8')
    headers.set('accept-ranges', 'bytes')
    headers.set('x-content-type-options', 'nosniff')
    ctx.bytes(BODY)
  })
  const rounds = Number(process.argv[2] ?? 100)
  for (const [title, fields, perTurn] of [
    ['1 KiB, 200', FIELDS, 16],
    ['1 KiB, 304', [...FIELDS, 'if-none-match', etag], 16],
    ['1 KiB, 200, one per turn', FIELDS, 1],
  ] as const) {
    process.stdout.write(`${title}:\n`)
    const candidates = { handler: request(byHand, fields), staticFiles: request(files, fields) }
    printCosts(await minimumCosts(candidates, rounds, perTurn))
  }
} finally {
  await rm(scratch, { recursive: true, force: true })
}
