import cluster from 'node:cluster'
import { channel } from 'node:diagnostics_channel'
import { existsSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import * as log from '@fw/log'
import { Server, type ListenOptions, type ServerOptions, type WorkerTrace } from '../../src/index.ts'

/** A program with workers, which tests start as a separate process. Its environment selects the behavior. */
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
const behavior = process.env.TEST_BEHAVIOR ?? ''

if (logFile !== undefined) log.init({ sinks: [new log.FileSink(logFile)] })
if (cluster.isWorker) {
  if (behavior === 'exits early') process.exit(7)
  if (behavior === 'never listens') await sleep(60_000)
  const { FW_WORKER_SLOT, TEST_HELD_UP: heldUp = '', TEST_FAILS_WHILE: failsWhile = '' } = process.env
  if (existsSync(failsWhile)) process.exit(9)
  if (FW_WORKER_SLOT === '1') while (existsSync(heldUp)) await sleep(POLL_MS)
  // While a file exists at this path, a starting worker waits. When a test removes the file, the worker fails.
  if (existsSync(behavior)) {
    log.info('Broken')
    while (existsSync(behavior)) await sleep(POLL_MS)
    process.exit(8)
  }
}

const server = new Server({ shutdown: 'signals', ...serverOptions })
const router = server.router()
router.get('/', () => String(process.pid))
router.get('/peer', (ctx) => ctx.remoteAddress ?? 'none')
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
router.get('/restart', async () => {
  await server.restart()
  return `asked ${process.pid}`
})
async function restart(): Promise<void> {
  try {
    await server.restart()
    process.send?.('restarted')
  } catch (error) {
    process.send?.(String(error))
  }
}
if (cluster.isPrimary && behavior === 'restarts on message') {
  process.on('message', () => void restart())
  channel('fw.worker').subscribe((message) => {
    const { state, pid, worker = 'spare', reason = '-' } = message as WorkerTrace
    log.info('Trace: {} {} {} {}', state, worker, pid, reason)
  })
}
async function reload(): Promise<void> {
  try {
    await server.reloadTls()
    process.send?.('reloaded')
  } catch (error) {
    process.send?.(String(error))
  }
}
if (cluster.isPrimary && behavior === 'reloads on message') process.on('message', () => void reload())
if (cluster.isPrimary && behavior === 'closes on message') {
  process.once('message', (drainMs) => void server.close({ drainMs: Number(drainMs) }))
}

try {
  const urls: string[] = []
  for (const listen of listens) urls.push((await server.listen(listen)).url.href)
  // Write the compile cache now, because most of these processes are killed.
  flushCompileCache()
  if (cluster.isPrimary) process.send?.(urls)
  else if (behavior === 'closes soon') void server.close()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}\n`)
  process.exit(3)
}
