import cluster from 'node:cluster'
import { channel } from 'node:diagnostics_channel'
import { setTimeout } from 'node:timers/promises'
import { Server } from '@fw/core'
import * as log from '@fw/log'
import { type FleetReport, isWorkerReport, type WorkerReport, type WorkerState } from './fleet-reports.ts'

// The program of the restart panel: four processes that serve one port, and their primary, which reports to the demo.

const PROCESSES = 4
/** Milliseconds that the handler waits, so that requests are in flight when a process is replaced. */
const WORK_MS = 20
/** Milliseconds between two reports from a worker. */
const REPORT_MS = 200
/** Milliseconds that a replaced process has to finish its requests. */
const DRAIN_MS = 5000

const report = (message: FleetReport | WorkerReport): void => void process.send?.(message)

async function main(): Promise<void> {
  log.setSinks([])
  const server = new Server()
  let inFlight = 0
  server.router().get('/', async () => {
    inFlight++
    await setTimeout(WORK_MS)
    inFlight--
    return 'served'
  })
  if (cluster.isPrimary) reportWorkers()
  else setInterval(() => report({ demo: 'in flight', inFlight }), REPORT_MS).unref()
  const { port = 0 } = await server.listen({
    host: '127.0.0.1',
    port: 0,
    workers: { count: PROCESSES, drainMs: DRAIN_MS },
  })
  if (!cluster.isPrimary) return
  report({ demo: 'listens', port })
  process.on('message', (message) => {
    if (message === 'restart') process.kill(process.pid, 'SIGHUP')
  })
  // The demo exited without closing this process.
  process.on('disconnect', () => void server.close({ drainMs: 0 }).finally(() => process.exit()))
}

function reportWorkers(): void {
  channel('fw.worker').subscribe((message) => {
    const { state, pid, worker = 0 } = message as { state: WorkerState; pid: number; worker?: number }
    report({ demo: 'state', pid, worker, state })
  })
  cluster.on('message', (worker, message: unknown) => {
    if (isWorkerReport(message))
      report({ demo: 'in flight of', pid: worker.process.pid ?? 0, inFlight: message.inFlight })
  })
}

await main()
