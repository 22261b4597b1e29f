import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { ClientThread } from '../clients/client-thread.ts'
import type { FleetHistory, FleetMessage } from '../live/messages.ts'
import { FleetPast } from './fleet-past.ts'
import type { FleetReport } from './fleet-reports.ts'
import { FleetStates } from './fleet-states.ts'

const PROGRAM = fileURLToPath(new URL('fleet-program.ts', import.meta.url))
const PROCESSES = 4
/** Milliseconds between two messages, the same as between two reports of the load. */
const REPORT_MS = 200

/** The four processes of the restart panel, and the load on them. They start when the first page follows the feed. */
export class Fleet {
  readonly #clients: ClientThread
  readonly #publish: (message: FleetMessage) => void
  readonly #states = new FleetStates(PROCESSES)
  readonly #past = new FleetPast()
  #child: ChildProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #port = 0
  #load = { answered: 0, failed: 0 }
  #before = { answered: 0, at: 0 }
  #last: FleetMessage | undefined

  constructor(clients: ClientThread, publish: (message: FleetMessage) => void) {
    this.#clients = clients
    this.#publish = publish
    clients.onLoad = (progress) => (this.#load = progress)
  }

  /** The newest state; `undefined` before the processes have started. */
  get last(): FleetMessage | undefined {
    return this.#last
  }

  get history(): FleetHistory {
    return this.#past.entries
  }

  /** Starts the processes and the load. Later calls have no effect. */
  start(): void {
    if (this.#child !== undefined) return
    this.#child = fork(PROGRAM, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    this.#child.on('message', (report: FleetReport) => this.#receive(report))
    this.#child.on('error', () => {})
    this.#child.unref()
    this.#child.channel?.unref()
    this.#timer = setInterval(() => this.#report(), REPORT_MS)
    this.#timer.unref()
  }

  /** Replaces the processes one by one, as on SIGHUP. */
  restart(): void {
    this.#states.beginRestart()
    this.#child?.send('restart', () => {})
  }

  close(): void {
    clearInterval(this.#timer)
    if (this.#child?.connected === true) this.#child.disconnect()
  }

  #receive(report: FleetReport): void {
    if (report.demo === 'state') this.#states.change(report.pid, report.worker, report.state)
    else if (report.demo === 'in flight of') this.#states.setInFlight(report.pid, report.inFlight)
    else {
      this.#port = report.port
      this.#clients.run({ task: 'load', port: report.port }).catch(() => {})
    }
  }

  #report(): void {
    const at = performance.now()
    const { answered, failed } = this.#load
    const rate = ((answered - this.#before.answered) / (at - this.#before.at)) * 1000
    this.#before = { answered, at }
    const { places: processes, replaced } = this.#states
    this.#last = { port: this.#port, processes, rate: Math.max(0, Math.round(rate)), answered, failed, replaced }
    this.#past.add(this.#last)
    this.#publish(this.#last)
  }
}
