import { url as inspectorUrl } from 'node:inspector'
import { isatty } from 'node:tty'
import type { Logger } from '@fw/log'
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
import { WorkerOutput } from './worker-output.ts'
import { NO_SLOT, WorkerProcess, type WorkerEvents } from './worker-process.ts'

/** After its deadline a worker destroys what is left and ends; one that has not by then never will. */
const KILL_GRACE_MS = 1000
/**
 * A worker that leaves of its own accord was sent a signal, perhaps together with its primary, which then closes
 * everything: that is waited for before the worker is replaced.
 */
const LEAVING_GRACE_MS = 50

/** What the workers are to listen on for one call of `listen`. */
export interface Offer {
  readonly binding: Binding
  /** The socket for a worker; `undefined` if it gets its own. */
  handle(slot: number): SocketHandle | undefined
}

interface Slot {
  readonly delay: RestartDelay
  current: WorkerProcess | undefined
  timer: NodeJS.Timeout | undefined
}

/** Keeps the worker processes of this program running, from the first `listen` with workers to the close of the last. */
export class Supervisor {
  readonly settings: WorkerSettings
  readonly #logger: Logger
  readonly #listens = new Set<number>()
  readonly #offers = new Map<number, Offer>()
  readonly #refused = new Map<number, string>()
  readonly #starts: PendingStarts
  readonly #slots: readonly Slot[]
  /** All, whatever state they are in. */
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

  /** Whether the workers have come to their end, from which there is no return. */
  get isStopped(): boolean {
    return this.#stopped !== undefined
  }

  /** Announces a call of `listen`: until it is withdrawn the workers stay. */
  join(listen: number): void {
    this.#listens.add(listen)
  }

  /**
   * Has every worker listen.
   *
   * @param listen Number of the call
   * @throws {StartupError} if one of them does not; then `withdraw` is to be called
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

  /** Has workers that come to this call fail as the primary did. */
  refuse(listen: number, message: string): void {
    this.#refused.set(listen, message)
    for (const worker of this.#processes) if (worker.wanted === listen) this.#respond(worker, listen)
  }

  /**
   * Has the workers finish what came by this call; they end if there is no other. Resolves when that is done.
   *
   * @param whole Whether the server that listens is being closed as a whole
   */
  async withdraw(listen: number, drainMs: number, whole: boolean): Promise<void> {
    this.#listens.delete(listen)
    this.#offers.delete(listen)
    const workers = [...this.#processes]
    for (const worker of workers) worker.send({ fw: 'close', listen, drainMs, whole })
    if (this.#listens.size === 0 && this.#isStarted) await (this.#stopped ??= this.#endAll())
    else await Promise.all(workers.map((worker) => worker.closed(listen)))
  }

  /**
   * Has every worker load the certificates of the server of this call again.
   *
   * @throws {StartupError} naming the workers that could not, with the reasons; the others use the new ones
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
    throw new StartupError(Array.from(failed, ([error, names]) => `${names.join(', ')}: ${error}`).join('; '))
  }

  /** Calls what writes to the log, after what the workers have written. */
  record(write: () => void): void {
    this.#output.record(write)
  }

  /** Ends the workers that are still there at the deadline, if none is to go on, and waits for no reader of the output. */
  killAfterGrace(): void {
    if (this.#stopped === undefined) return
    const timer = setTimeout(() => {
      for (const worker of this.#processes) {
        this.record(() => this.#logger.warn('{} has not ended in time; killing it', worker.name))
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
    // A process that stands at a breakpoint does not hang.
    if (heartbeatTimeoutMs > 0 && inspectorUrl() === undefined) {
      this.#beat = setInterval(() => this.#askAll(), beatIntervalMs(heartbeatTimeoutMs)).unref()
    }
    for (const [number, slot] of this.#slots.entries()) slot.current = this.#fork(number)
  }

  async #endAll(): Promise<void> {
    for (const slot of this.#slots) clearTimeout(slot.timer)
    this.#spare?.stop()
    // Those that serve nothing yet have nothing to finish.
    for (const worker of this.#processes) if (worker.listening.size === 0) worker.kill('SIGTERM')
    await Promise.all(Array.from(this.#processes, (worker) => worker.exited))
    await this.#output.finished()
    clearInterval(this.#beat)
    process.off('SIGHUP', this.#onHangUp)
    process.off('exit', this.#onProcessExit)
  }

  /** @param slot `NO_SLOT` for a spare */
  #startProcess(slot: number): WorkerProcess {
    const worker = new WorkerProcess(slot, this.#output.relays, this.#events)
    this.#processes.add(worker)
    this.record(() => this.#logger.debug('{} started', worker.name))
    return worker
  }

  #fork(slot: number): WorkerProcess {
    const worker = this.#startProcess(slot)
    this.#expect(worker)
    return worker
  }

  /** Has the spare take a place, if there is one. */
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

  /** From now on it has its time to come to listen. */
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
      // Here it waits until it is given a place.
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
      worker.ready.resolve(true)
      this.record(() => this.#logger.info('{} is ready', worker.name))
    },
    onLeaving: (worker, listen) => {
      const slot = this.#slots[worker.slot]
      // It does as it was told, unless it is still to serve.
      if (slot?.current !== worker || !this.#offers.has(listen)) return
      const delayMs = Math.max(LEAVING_GRACE_MS, slot.delay.next(worker.isReady))
      this.record(() => this.#logger.info('{} is leaving; starting another in {} ms', worker.name, delayMs))
      slot.current = undefined
      this.#restart(worker.slot, delayMs)
      void this.#retire(worker)
    },
    onExit: (worker) => this.#onExit(worker),
  }

  #servesAll(worker: WorkerProcess): boolean {
    return [...this.#offers.keys()].every((listen) => worker.listening.has(listen))
  }

  #onExit(worker: WorkerProcess): void {
    this.#processes.delete(worker)
    worker.ready.resolve(false)
    this.#spare?.onExit(worker)
    const slot = this.#slots[worker.slot]
    // One that was replaced, or was to replace another, is not missed.
    if (slot?.current !== worker || this.isStopped) {
      this.record(() => this.#logger.info('{} {}', worker.name, worker.ending))
      return
    }
    slot.current = undefined
    const { startupError } = worker
    const reason = startupError ?? `${worker.name} ${worker.ending} before it listened. What it wrote says why`
    // The program fails at its very start: that is for the callers to know, and not to be tried again. Not so if this one
    // listened and only others have yet to: connections wait in its place already.
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
      worker.kill('SIGKILL', `has not turned its event loop for ${heartbeatTimeoutMs} ms and was killed`)
    }
  }

  /** Lets a worker finish, and sees to it that it ends. */
  async #retire(worker: WorkerProcess): Promise<void> {
    const { drainMs } = this.settings
    for (const listen of this.#offers.keys()) worker.send({ fw: 'close', listen, drainMs, whole: true })
    const timer = setTimeout(
      () => worker.kill('SIGKILL', 'did not end in time and was killed'),
      drainMs + KILL_GRACE_MS,
    )
    await worker.exited
    clearTimeout(timer)
  }

  readonly #onHangUp = (): void => {
    // The terminal itself has gone: a program that was started from it ends with it.
    if (this.#hasTerminal && !isatty(0)) {
      process.kill(process.pid, 'SIGTERM')
      return
    }
    // Workers that are only just starting are new already.
    if (!this.isStopped && this.#starts.size === 0) this.#rolling.ask()
  }

  /** @returns Whether there is any use in doing it again; there is where it failed: the workers may start the next time */
  async #roll(): Promise<boolean> {
    this.record(() => this.#logger.info('Restarting the workers one by one'))
    if (await this.#replaceAll()) this.record(() => this.#logger.info('All workers have been restarted'))
    return !this.isStopped
  }

  /** Each worker is there until the next one serves. @returns Whether all have been replaced */
  async #replaceAll(): Promise<boolean> {
    this.#spare?.renew()
    for (const [number, slot] of this.#slots.entries()) {
      const next = this.#fork(number)
      const isReady = await next.ready.promise
      if (this.isStopped) return false
      if (!isReady) {
        this.record(() =>
          this.#logger.error('{} {}: the workers before it go on, no further one is restarted', next.name, next.ending),
        )
        return false
      }
      const { current } = slot
      clearTimeout(slot.timer)
      slot.timer = undefined
      slot.current = next
      if (current !== undefined) await this.#retire(current)
    }
    return true
  }

  readonly #onProcessExit = (): void => {
    // Who asks twice to close does not want to wait. If this process just fails, its workers see it and drain.
    if (this.isStopped) for (const worker of this.#processes) worker.kill('SIGKILL')
  }
}
