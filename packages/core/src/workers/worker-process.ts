import cluster, { type Worker } from 'node:cluster'
import type { SendHandle } from 'node:child_process'
import { Heartbeat } from './heartbeat.ts'
import { type LineRelay, tearsLines } from './line-relay.ts'
import { isOurs, type PrimaryMessage, type SentAddress, type WorkerMessage } from './messages.ts'
import type { SocketHandle } from './port-sockets.ts'

/** Tells a process that it is a worker of ours, and which. */
export const SLOT_VARIABLE = 'FW_WORKER_SLOT'
/** That of a process which has no place yet. */
export const NO_SLOT = -1

/** What a worker does. */
export interface WorkerEvents {
  onPlaceWanted(worker: WorkerProcess, listen: number): void
  onListening(worker: WorkerProcess, listen: number, address: SentAddress): void
  onLeaving(worker: WorkerProcess, listen: number): void
  /** The last event. */
  onExit(worker: WorkerProcess): void
}

/** Where output goes that must not be mixed, by descriptor. */
export type Relays = Readonly<Record<1 | 2, LineRelay>>

/** One worker process, as its primary sees it. */
export class WorkerProcess {
  /** Which of the workers it is, from 0; the process that replaces it has the same. */
  slot: number
  readonly pid: number
  /** The calls of `listen` that it serves. */
  readonly listening: Set<number> = new Set()
  /** The calls that it was told where to listen for: it may have loaded certificates. */
  readonly placed: Set<number> = new Set()
  /** The call that it waits for a response to. */
  wanted: number | undefined = undefined
  /** Whether it began to serve all that it must serve. */
  isReady = false
  /** Whether it came to serve all that it is to serve, or ended before. */
  readonly ready: PromiseWithResolvers<boolean> = Promise.withResolvers()
  /** The one-line error that its `listen` failed with. */
  startupError: string | undefined = undefined
  readonly #worker: Worker
  readonly #heartbeat = new Heartbeat()
  readonly #exited = Promise.withResolvers<void>()
  readonly #closed = new Map<number, PromiseWithResolvers<void>>()
  /** Those that wait for its certificates, in the order in which they asked. */
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
      // Of the program that cannot be started, or a message that cannot be sent: the exit follows.
      this.#failure ??= error.message
      if (pid === undefined) this.#onExit(`could not be started: ${error.message}`, events)
    })
    this.#worker.once('exit', (code, signal) => {
      this.#onExit(signal === null ? `exited with code ${code}` : `was ended by ${signal}`, events)
    })
  }

  /** For people: they count from 1. */
  get name(): string {
    const role = this.slot === NO_SLOT ? 'Spare worker' : `Worker ${this.slot + 1}`
    return `${role} (process ${this.pid})`
  }

  /** Why it ended, or what it has done wrong, as the rest of a sentence that begins with its name. */
  get ending(): string {
    return this.#failure ?? this.#ending
  }

  get exited(): Promise<void> {
    return this.#exited.promise
  }

  send(message: PrimaryMessage, handle?: SocketHandle): void {
    // One that has just ended gets no message and needs none.
    this.#worker.send(message, handle as SendHandle, undefined, () => {})
  }

  /** @returns Whether it leaves so many questions open that it hangs */
  ask(): boolean {
    if (this.#heartbeat.ask()) return true
    this.send({ fw: 'ping' })
    return false
  }

  /** Resolves when it serves this call no longer. */
  async closed(listen: number): Promise<void> {
    if (!this.listening.has(listen)) return
    await Promise.race([this.#closing(listen).promise, this.exited])
  }

  /**
   * Has it load the certificates of a server again. One that ends needs none: the next one loads them anew.
   *
   * @returns Why it could not
   */
  reloadTls(listen: number): Promise<string | undefined> {
    const reload = Promise.withResolvers<string | undefined>()
    this.#reloads.push(reload)
    this.send({ fw: 'reload', listen })
    return Promise.race([reload.promise, this.exited.then(() => undefined)])
  }

  /** @param failure What it did wrong, to be told as the reason for its end */
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
      case 'pong':
    }
  }
}
