import cluster, { type Worker } from 'node:cluster'
import type { SendHandle } from 'node:child_process'
import { Heartbeat } from './heartbeat.ts'
import { type LineRelay, tearsLines } from './line-relay.ts'
import { isOurs, type PrimaryMessage, type SentAddress, type WorkerMessage } from './messages.ts'
import type { SocketHandle } from './port-sockets.ts'

/**
 * Environment variable that contains a worker's slot. Its presence marks a process as one of this library's workers.
 */
export const SLOT_VARIABLE = 'FW_WORKER_SLOT'
/** Slot value for a spare, which has no slot yet. */
export const NO_SLOT = -1

/** Receives events from a worker. */
export interface WorkerEvents {
  onPlaceWanted(worker: WorkerProcess, listen: number): void
  onListening(worker: WorkerProcess, listen: number, address: SentAddress): void
  onLeaving(worker: WorkerProcess, listen: number): void
  /** The worker requests a restart of all workers. */
  onRestartWanted(): void
  /** The last event from a worker. */
  onExit(worker: WorkerProcess): void
}

/** Relays for output that must not be mixed, by descriptor. */
export type Relays = Readonly<Record<1 | 2, LineRelay>>

/** Represents a worker process in its primary. */
export class WorkerProcess {
  /** The worker's number, from 0. A replacement has the same number. */
  slot: number
  readonly pid: number
  /** The `listen` calls that the worker serves. */
  readonly listening: Set<number> = new Set()
  /** The `listen` calls for which the worker has received an address. It can have loaded certificates for them. */
  readonly placed: Set<number> = new Set()
  /** The `listen` call for which the worker is waiting for an address. */
  wanted: number | undefined = undefined
  /** Whether the worker serves all listeners that it must serve. */
  isReady = false
  /** Whether the worker has stopped accepting connections. */
  isDraining = false
  /** Resolves to true when the worker serves all listeners, or to false when the worker ends before that. */
  readonly ready: PromiseWithResolvers<boolean> = Promise.withResolvers()
  /** One-line error from the worker's failed `listen` call. */
  startupError: string | undefined = undefined
  readonly #worker: Worker
  readonly #heartbeat = new Heartbeat()
  readonly #exited = Promise.withResolvers<void>()
  readonly #closed = new Map<number, PromiseWithResolvers<void>>()
  /** Pending reloads of the worker's certificates, in request order. */
  readonly #reloads: PromiseWithResolvers<string | undefined>[] = []
  #failure: string | undefined = undefined
  #ending = ''

  constructor(slot: number, relays: Relays, events: WorkerEvents) {
    const outputs = [1, 2] as const
    const stdio = outputs.map((fd) => (tearsLines(fd) ? 'pipe' : 'inherit'))
    cluster.setupPrimary({ stdio: ['inherit', ...stdio, 'ipc'] })
    this.slot = slot
    this.#worker = cluster.fork({ [SLOT_VARIABLE]: String(slot) })
    const { pid, stdout, stderr } = this.#worker.process
    this.pid = pid ?? 0
    if (stdout !== null) relays[1].add(stdout)
    if (stderr !== null) relays[2].add(stderr)
    this.#worker.on('message', (message: unknown) => {
      if (isOurs(message)) this.#onMessage(message as WorkerMessage, events)
    })
    this.#worker.on('error', (error) => {
      // The program cannot be started, or a message cannot be sent. An exit event follows.
      this.#failure ??= error.message
      if (pid === undefined) this.#onExit(`could not be started: ${error.message}`, events)
    })
    this.#worker.once('exit', (code, signal) => {
      this.#onExit(signal === null ? `exited with code ${code}` : `was ended by ${signal}`, events)
    })
  }

  /** Name for messages. The numbers in names start at 1. */
  get name(): string {
    const role = this.slot === NO_SLOT ? 'Spare worker' : `Worker ${this.slot + 1}`
    return `${role} (process ${this.pid})`
  }

  /** Reason why the worker ended or was killed. Completes a sentence that starts with the worker's name. */
  get ending(): string {
    return this.#failure ?? this.#ending
  }

  get exited(): Promise<void> {
    return this.#exited.promise
  }

  send(message: PrimaryMessage, handle?: SocketHandle): void {
    // Ignore the error: the process has just ended.
    this.#worker.send(message, handle as SendHandle, undefined, () => {})
  }

  /** Sends a ping. Reports whether the process is blocked, because it answered no ping during a whole timeout. */
  ask(): boolean {
    if (this.#heartbeat.ask()) return true
    this.send({ fw: 'ping' })
    return false
  }

  /** Resolves when the worker no longer serves this call. */
  async closed(listen: number): Promise<void> {
    if (!this.listening.has(listen)) return
    await Promise.race([this.#closing(listen).promise, this.exited])
  }

  /**
   * Makes the worker reload a server's certificates. Resolves immediately if the process ends, because its replacement
   * loads the certificates anyway.
   *
   * @returns Reason why the worker could not reload the certificates
   */
  reloadTls(listen: number): Promise<string | undefined> {
    const reload = Promise.withResolvers<string | undefined>()
    this.#reloads.push(reload)
    this.send({ fw: 'reload', listen })
    return Promise.race([reload.promise, this.exited.then(() => undefined)])
  }

  /**
   * Sends a signal to the process.
   *
   * @param failure Failure that `ending` reports as the reason
   */
  kill(signal: NodeJS.Signals, failure?: string): void {
    this.#failure ??= failure
    this.#worker.process.kill(signal)
  }

  #closing(listen: number): PromiseWithResolvers<void> {
    const closing = this.#closed.get(listen) ?? Promise.withResolvers<void>()
    this.#closed.set(listen, closing)
    return closing
  }

  #onExit(ending: string, events: WorkerEvents): void {
    if (this.#ending !== '') return
    this.#ending = ending
    this.#exited.resolve()
    events.onExit(this)
  }

  #onMessage(message: WorkerMessage, events: WorkerEvents): void {
    this.#heartbeat.answered()
    switch (message.fw) {
      case 'place':
        this.wanted = message.listen
        events.onPlaceWanted(this, message.listen)
        break
      case 'listening':
        this.listening.add(message.listen)
        events.onListening(this, message.listen, message.address)
        break
      case 'failed':
        this.startupError = message.message
        this.#failure ??= `could not start: ${message.message}`
        break
      case 'closed':
        this.#closing(message.listen).resolve()
        break
      case 'leaving':
        events.onLeaving(this, message.listen)
        break
      case 'reloaded':
        this.#reloads.shift()?.resolve(message.error)
        break
      case 'restart':
        events.onRestartWanted()
        break
      case 'pong':
    }
  }
}
