import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import * as log from '@fw/log'
import { Server, type ListenOptions, type ServerOptions } from '../../src/index.ts'

/** A program with workers, told by its environment what to do: tests run it as a process of its own. */
const {
  server: serverOptions = {},
  listens,
  logFile,
} = JSON.parse(process.env.TEST_OPTIONS ?? '{}') as {
  server?: ServerOptions
  listens: ListenOptions[]
  logFile?: string
}
const POLL_MS = 10
const behaviour = process.env.TEST_BEHAVIOUR ?? ''

if (logFile !== undefined) log.init({ sinks: [new log.FileSink(logFile)] })
if (cluster.isWorker) {
  if (behaviour === 'exits early') process.exit(7)
  if (behaviour === 'never listens') await sleep(60_000)
  const { FW_WORKER_SLOT, TEST_HELD_UP: heldUp = '', TEST_FAILS_WHILE: failsWhile = '' } = process.env
  if (existsSync(failsWhile)) process.exit(9)
  if (FW_WORKER_SLOT === '1') while (existsSync(heldUp)) await sleep(POLL_MS)
  // A file that comes and goes while the program runs: who starts meanwhile fails as soon as it has gone.
  if (existsSync(behaviour)) {
    log.info('Broken')
    while (existsSync(behaviour)) await sleep(POLL_MS)
    process.exit(8)
  }
}

const server = new Server({ shutdown: 'signals', ...serverOptions })
const router = server.router()
router.get('/', () => String(process.pid))
router.get('/block', () => {
  for (;;);
})
router.get('/slow/:ms', async (ctx) => {
  log.info('Slow response begun')
  await sleep(Number(ctx.params.ms))
  return `slow ${process.pid}`
})
router.get('/log/:lines/:bytes', (ctx) => {
  const { lines, bytes } = ctx.params
  for (let at = 0; at < Number(lines); at++) log.info('<{} {} {}>', process.pid, at, 'x'.repeat(Number(bytes)))
  return 'logged'
})
async function reload(): Promise<void> {
  try {
    await server.reloadTls()
    process.send?.('reloaded')
  } catch (error) {
    process.send?.(String(error))
  }
}
if (cluster.isPrimary && behaviour === 'reloads when told') process.on('message', () => void reload())
if (cluster.isPrimary && behaviour === 'closes when told') {
  process.once('message', (drainMs) => void server.close({ drainMs: Number(drainMs) }))
}

try {
  const urls: string[] = []
  for (const listen of listens) urls.push((await server.listen(listen)).url.href)
  // Most of these processes are killed, and would leave nothing behind for the next one.
  flushCompileCache()
  if (cluster.isPrimary) process.send?.(urls)
  else if (behaviour === 'closes soon') void server.close()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}\n`)
  process.exit(3)
}
