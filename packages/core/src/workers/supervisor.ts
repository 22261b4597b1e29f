import { url as inspectorUrl } from 'node:inspector'
import { isatty } from 'node:tty'
import type { Logger } from '@fw/log'
import { withCode } from '@fw/options'
import type { Binding } from '../listening/binding.ts'
import { StartupError } from '../options/startup-error.ts'
import { TicketKeys } from '../tls/ticket-keys.ts'
import { beatIntervalMs } from './heartbeat.ts'
import type { SentAddress } from './messages.ts'
import { PendingStarts } from './pending-starts.ts'
import { CpuPinning } from './pin-cpu.ts'
import type { SocketHandle } from './port-sockets.ts'
import { RestartDelay } from './restart-delay.ts'
import { RollingRestart } from './rolling-restart.ts'
import { SpareWorker } from './spare-worker.ts'
import type { WorkerSettings } from '../options/worker-options.ts'
import { traceDrain, traceWorker } from './worker-trace.ts'
import { WorkerOutput } from './worker-output.ts'
import { NO_SLOT, WorkerProcess, type WorkerEvents } from './worker-process.ts'

/**
 * Grace period after the drain deadline, in milliseconds. A worker destroys its remaining connections at the deadline
 * and exits. A worker that is still running after this time counts as hung.
 */
const KILL_GRACE_MS = 1000
/**
 * Minimum milliseconds before a worker that closes without a request is replaced. The worker has received a signal. If
 * the primary received it too, the primary closes all workers.
 */
const LEAVING_GRACE_MS = 50

/** The reason why a restart ends early. */
const CLOSING = 'the server is closed'

/** Address and sockets for one `listen` call. */
export interface Offer {
  readonly binding: Binding
  /** Returns the socket of a worker, or `undefined` if the worker opens its own. */
  handle(slot: number): SocketHandle | undefined
}

interface Slot {
  readonly delay: RestartDelay
  current: WorkerProcess | undefined
  timer: NodeJS.Timeout | undefined
}

/**
 * Keeps this program's worker processes running, from the first `listen` with workers until the last listener is
 * closed.
 */
export class Supervisor {
  readonly settings: WorkerSettings
  readonly #logger: Logger
  readonly #listens = new Set<number>()
  readonly #offers = new Map<number, Offer>()
  readonly #refused = new Map<number, string>()
  readonly #starts: PendingStarts
  readonly #slots: readonly Slot[]
  /** All processes in any state, including spares and those that are closing. */
  readonly #processes = new Set<WorkerProcess>()
  readonly #output = new WorkerOutput()
  readonly #pinning: CpuPinning | undefined
  readonly #spare: SpareWorker | undefined
  readonly #ticketKeys = new TicketKeys()
  readonly #hasTerminal = isatty(0)
  #beat: NodeJS.Timeout | undefined = undefined
  #isStarted = false
  #stopped: Promise<void> | undefined = undefined
  readonly #rolling = new RollingRestart(() => this.#roll())

  constructor(settings: WorkerSettings, logger: Logger) {
    this.settings = settings
    this.#logger = logger
    this.#starts = new PendingStarts(settings.count, settings.startTimeoutMs)
    this.#pinning = settings.pinCpus ? new CpuPinning(logger) : undefined
    this.#spare = settings.spare
      ? new SpareWorker(() => this.#startProcess(NO_SLOT), settings.maxRestartDelayMs)
      : undefined
    this.#slots = Array.from({ length: settings.count }, () => ({
      delay: new RestartDelay(settings.maxRestartDelayMs),
      current: undefined,
      timer: undefined,
    }))
  }

  /** Whether the workers have been stopped, which is final. */
  get isStopped(): boolean {
    return this.#stopped !== undefined
  }

  /** Announces a `listen` call. The workers keep running until the call is withdrawn. */
  join(listen: number): void {
    this.#listens.add(listen)
  }

  /**
   * Makes every worker listen.
   *
   * @param listen Number of the call
   * @throws {StartupError} if a worker cannot listen. The caller must then call `withdraw`
   */
  async serve(listen: number, offer: Offer): Promise<SentAddress> {
    this.#offers.set(listen, offer)
    const started = this.#starts.all(listen)
    if (!this.#isStarted) this.#start()
    for (const worker of this.#processes) if (worker.wanted === listen) this.#respond(worker, listen)
    const address = await started
    this.#spare?.prepare()
    return address
  }

  /** Rejects a `listen` call in the workers, because it failed in the primary. */
  refuse(listen: number, message: string): void {
    this.#refused.set(listen, message)
    for (const worker of this.#processes) if (worker.wanted === listen) this.#respond(worker, listen)
  }

  /**
   * Closes a call's listener in all workers, and ends the workers if no call remains. Resolves when that is done.
   *
   * @param whole Whether the whole server is closing
   */
  async withdraw(listen: number, drainMs: number, whole: boolean): Promise<void> {
    this.#listens.delete(listen)
    this.#offers.delete(listen)
    const workers = [...this.#processes]
    const isLast = this.#listens.size === 0 && this.#isStarted
    for (const worker of workers) {
      worker.send({ fw: 'close', listen, drainMs, whole })
      if (isLast) traceDrain(worker)
    }
    if (isLast) await (this.#stopped ??= this.#endAll())
    else await Promise.all(workers.map((worker) => worker.closed(listen)))
  }

  /**
   * Makes every worker that serves this call reload its server's certificates.
   *
   * @throws {StartupError} with each failed worker and its cause. The other workers use the new certificates
   */
  async reloadTls(listen: number): Promise<void> {
    const workers = [...this.#processes].filter(({ placed }) => placed.has(listen))
    const errors = await Promise.all(workers.map((worker) => worker.reloadTls(listen)))
    const failed = new Map<string, string[]>()
    for (const [at, worker] of workers.entries()) {
      const error = errors[at]
      if (error !== undefined) failed.set(error, [...(failed.get(error) ?? []), worker.name])
    }
    if (failed.size === 0) return
    const text = Array.from(failed, ([error, names]) => `${names.join(', ')}: ${error}`).join('; ')
    throw withCode('FW_WORKER_FAILED', new StartupError(text))
  }

  /**
   * Restarts all workers one by one. Resolves when they are replaced. Has no effect while workers are starting for the
   * first time, because they already run the current program.
   *
   * @throws {StartupError} if a replacement could not start. The previous workers continue to serve
   */
  async restart(): Promise<void> {
    if (this.#starts.size > 0) return
    const failure = await this.#rolling.ask()
    if (failure !== undefined) {
      throw withCode('FW_WORKER_FAILED', new StartupError(`Cannot restart the workers: ${failure}`))
    }
  }

  /** Calls a function that writes to the log, after the workers' forwarded output. */
  record(write: () => void): void {
    this.#output.record(write)
  }

  /**
   * Kills the workers that are still running after the grace period, and drops unread output. Has no effect unless the
   * workers are being stopped.
   */
  killAfterGrace(): void {
    if (this.#stopped === undefined) return
    const timer = setTimeout(() => {
      for (const worker of this.#processes) {
        this.record(() => this.#logger.warn('{} did not end in time; killing it', worker.name))
        worker.kill('SIGKILL')
      }
      this.#output.giveUp()
    }, KILL_GRACE_MS)
    void this.#stopped.finally(() => clearTimeout(timer))
  }

  #start(): void {
    this.#isStarted = true
    process.on('SIGHUP', this.#onHangUp)
    process.on('exit', this.#onProcessExit)
    const { heartbeatTimeoutMs } = this.settings
    // A process that is paused in a debugger is not hung.
    if (heartbeatTimeoutMs > 0 && inspectorUrl() === undefined) {
      this.#beat = setInterval(() => this.#askAll(), beatIntervalMs(heartbeatTimeoutMs)).unref()
    }
    for (const [number, slot] of this.#slots.entries()) slot.current = this.#fork(number)
  }

  async #endAll(): Promise<void> {
    for (const slot of this.#slots) clearTimeout(slot.timer)
    this.#spare?.stop()
    // Workers that serve no listener yet have no requests to finish.
    for (const worker of this.#processes) if (worker.listening.size === 0) worker.kill('SIGTERM')
    await Promise.all(Array.from(this.#processes, (worker) => worker.exited))
    await this.#output.finished()
    clearInterval(this.#beat)
    process.off('SIGHUP', this.#onHangUp)
    process.off('exit', this.#onProcessExit)
  }

  /** @param slot The worker's number; `NO_SLOT` for a spare */
  #startProcess(slot: number): WorkerProcess {
    const worker = new WorkerProcess(slot, this.#output.relays, this.#events)
    this.#processes.add(worker)
    traceWorker('starts', worker)
    this.record(() => this.#logger.debug('{} started', worker.name))
    return worker
  }

  #fork(slot: number): WorkerProcess {
    const worker = this.#startProcess(slot)
    this.#expect(worker)
    return worker
  }

  /** Moves the spare to a slot. Returns `undefined` if there is no ready or starting spare. */
  #takeSpare(slot: number): WorkerProcess | undefined {
    const worker = this.#spare?.take()
    if (worker === undefined) return undefined
    const { name } = worker
    worker.slot = slot
    this.record(() => this.#logger.debug('{} becomes {}', name, worker.name))
    this.#expect(worker)
    if (worker.wanted !== undefined) this.#respond(worker, worker.wanted)
    return worker
  }

  /** Pins the process to its CPU, and kills it if it does not listen in time. */
  #expect(worker: WorkerProcess): void {
    void this.#pinning?.pin(worker.pid, worker.slot)
    const { startTimeoutMs } = this.settings
    const timer = setTimeout(() => {
      if (!worker.isReady) worker.kill('SIGKILL', `did not listen within ${startTimeoutMs} ms`)
    }, startTimeoutMs)
    void worker.exited.finally(() => clearTimeout(timer))
  }

  #respond(worker: WorkerProcess, listen: number): void {
    const message = this.#refused.get(listen)
    const offer = this.#offers.get(listen)
    if (message !== undefined) worker.send({ fw: 'refused', listen, message })
    else if (offer === undefined) return
    else if (worker.slot === NO_SLOT) {
      // The spare waits at this call until it receives a slot.
      this.record(() => this.#logger.info('{} is ready', worker.name))
      return
    } else {
      const { binding } = offer
      const ticketSecret = this.#ticketKeys.share()
      const { drainMs } = this.settings
      worker.send({ fw: 'place', listen, binding, ticketSecret, drainMs }, offer.handle(worker.slot))
      worker.placed.add(listen)
    }
    worker.wanted = undefined
  }

  readonly #events: WorkerEvents = {
    onPlaceWanted: (worker, listen) => this.#respond(worker, listen),
    onListening: (worker, listen, address) => {
      this.#starts.taken(listen, worker.slot, address)
      if (worker.isReady || !this.#servesAll(worker)) return
      worker.isReady = true
      traceWorker('serves', worker)
      worker.ready.resolve(true)
      this.record(() => this.#logger.info('{} is ready', worker.name))
    },
    onLeaving: (worker, listen) => {
      const slot = this.#slots[worker.slot]
      // The supervisor has replaced this worker or closed this listener. No replacement is needed.
      if (slot?.current !== worker || !this.#offers.has(listen)) return
      const delayMs = Math.max(LEAVING_GRACE_MS, slot.delay.next(worker.isReady))
      this.record(() => this.#logger.info('{} is leaving; starting another in {} ms', worker.name, delayMs))
      slot.current = undefined
      this.#restart(worker.slot, delayMs)
      void this.#retire(worker)
    },
    onRestartWanted: () => void this.restart().catch(() => {}),
    onExit: (worker) => this.#onExit(worker),
  }

  #servesAll(worker: WorkerProcess): boolean {
    return [...this.#offers.keys()].every((listen) => worker.listening.has(listen))
  }

  #onExit(worker: WorkerProcess): void {
    this.#processes.delete(worker)
    traceWorker('ended', worker)
    worker.ready.resolve(false)
    this.#spare?.onExit(worker)
    const slot = this.#slots[worker.slot]
    // This process was already replaced, or was the replacement in a rolling restart.
    if (slot?.current !== worker || this.isStopped) {
      this.record(() => this.#logger.info('{} {}', worker.name, worker.ending))
      return
    }
    slot.current = undefined
    const { startupError } = worker
    const reason = startupError ?? `${worker.name} ${worker.ending} before it listened. See its output for the cause`
    // A program that fails before it listens would fail again, so callers only receive the error. If other listeners in
    // this worker were running, replace it, because connections are waiting for the slot.
    if (this.#starts.failed(worker.slot, reason) === this.#offers.size) return
    const delayMs = slot.delay.next(worker.isReady)
    const wait = delayMs === 0 ? '' : ` in ${delayMs} ms`
    this.record(() => this.#logger.error('{} {}; starting another{}', worker.name, worker.ending, wait))
    this.#restart(worker.slot, delayMs)
  }

  #restart(number: number, delayMs: number): void {
    const slot = this.#slots[number]
    if (slot === undefined || this.isStopped) return
    clearTimeout(slot.timer)
    slot.timer = setTimeout(() => {
      slot.timer = undefined
      slot.current = this.#takeSpare(number) ?? this.#fork(number)
    }, delayMs)
  }

  #askAll(): void {
    for (const worker of this.#processes) {
      const isTurning = worker.isReady || worker.wanted !== undefined
      if (!isTurning || !worker.ask()) continue
      const { heartbeatTimeoutMs } = this.settings
      worker.kill('SIGKILL', `was killed because its event loop was blocked for ${heartbeatTimeoutMs} ms`)
    }
  }

  /** Closes a worker, and kills it if it does not end in time. */
  async #retire(worker: WorkerProcess): Promise<void> {
    const { drainMs } = this.settings
    traceDrain(worker)
    for (const listen of this.#offers.keys()) worker.send({ fw: 'close', listen, drainMs, whole: true })
    const timer = setTimeout(
      () => worker.kill('SIGKILL', 'was killed because it did not end in time'),
      drainMs + KILL_GRACE_MS,
    )
    await worker.exited
    clearTimeout(timer)
  }

  readonly #onHangUp = (): void => {
    // If the terminal was closed, end the program that was started in it.
    if (this.#hasTerminal && !isatty(0)) {
      process.kill(process.pid, 'SIGTERM')
      return
    }
    // The log already contains the error.
    this.restart().catch(() => {})
  }

  /** Restarts all workers. Returns the reason if not all were replaced. */
  async #roll(): Promise<string | undefined> {
    if (this.isStopped) return CLOSING
    this.record(() => this.#logger.info('Restarting the workers one by one'))
    const failure = await this.#replaceAll()
    if (failure === undefined) this.record(() => this.#logger.info('All workers have been restarted'))
    return failure
  }

  /**
   * Replaces the workers one by one. Each one serves until its replacement is ready. Returns the reason if not all were
   * replaced.
   */
  async #replaceAll(): Promise<string | undefined> {
    this.#spare?.renew()
    for (const [number, slot] of this.#slots.entries()) {
      const next = this.#fork(number)
      const isReady = await next.ready.promise
      if (this.isStopped) return CLOSING
      if (!isReady) {
        this.record(() => this.#logger.error('{} {}; keeping the previous workers', next.name, next.ending))
        return `${next.name} ${next.ending}`
      }
      const { current } = slot
      clearTimeout(slot.timer)
      slot.timer = undefined
      slot.current = next
      if (current !== undefined) await this.#retire(current)
    }
    return undefined
  }

  readonly #onProcessExit = (): void => {
    // The user requested an immediate end with a second signal. If this process crashes instead, its workers detect
    // that and drain.
    if (this.isStopped) for (const worker of this.#processes) worker.kill('SIGKILL')
  }
}
