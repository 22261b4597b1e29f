import cluster from 'node:cluster'
import type { Traffic } from '../listening/traffic.ts'
import { withCode } from '@fw/options'
import type { ListenerAddress } from '../listening/listener.ts'
import { StartupError } from '../options/startup-error.ts'
import { tearsLines } from './line-relay.ts'
import { isOurs, type PrimaryMessage, type WorkerMessage } from './messages.ts'
import type { OpenListener, Place, ServerHooks } from './open-listener.ts'
import type { SocketHandle } from './port-sockets.ts'
import { SLOT_VARIABLE } from './worker-process.ts'

/**
 * Milliseconds within which the application must end after all listeners are closed. The application might have
 * resources that it never closes.
 */
const EXIT_MS = 500

/** Reports whether `listen` in a primary started this process. */
export function isWorkerProcess(): boolean {
  return cluster.isWorker && process.env[SLOT_VARIABLE] !== undefined
}

/** Connects a worker to its primary. */
export class WorkerLink {
  readonly #open = new Map<number, WorkerListener>()
  readonly #asked = new Map<number, PromiseWithResolvers<Place>>()
  readonly #hooks = new Map<number, ServerHooks>()
  #drainMs = 0

  constructor() {
    process.on('message', (message: unknown, handle: unknown) => {
      if (isOurs(message)) this.#onMessage(message as PrimaryMessage, handle as SocketHandle | undefined)
    })
    // Terminals and some service managers signal all processes. Only the primary acts on SIGHUP.
    process.on('SIGHUP', () => {})
    // Otherwise, node:cluster would end this process as soon as the primary ends, before in-flight requests are
    // answered.
    process.prependOnceListener('disconnect', () => {
      if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true
      this.#onPrimaryGone()
    })
    // The primary reads this output. After the primary has ended, writes fail, but the worker must still finish its
    // requests.
    if (tearsLines(1)) process.stdout.on('error', () => {})
    if (tearsLines(2)) process.stderr.on('error', () => {})
  }

  /** @throws {StartupError} if the primary could not listen */
  async listen(listen: number, hooks: ServerHooks): Promise<OpenListener> {
    const asked = Promise.withResolvers<Place>()
    this.#asked.set(listen, asked)
    this.#hooks.set(listen, hooks)
    this.#send({ fw: 'place', listen })
    const place = await asked.promise
    try {
      const listener = new WorkerListener(await hooks.open(place), hooks, {
        ...this.#closing(listen),
        onRestartWanted: () => this.#send({ fw: 'restart' }),
      })
      this.#open.set(listen, listener)
      const { address } = listener
      this.#send({ fw: 'listening', listen, address: { ...address, url: address.url.href } })
      return listener
    } catch (error) {
      // The primary reports the error once for all workers. This process cannot serve, so it exits.
      const message = error instanceof Error ? error.message : String(error)
      process.send?.({ fw: 'failed', listen, message } satisfies WorkerMessage, () => process.exit(1))
      return await new Promise<never>(() => {})
    }
  }

  #send(message: WorkerMessage): void {
    // Ignore the error: the primary has ended.
    if (process.connected) process.send?.(message, () => {})
  }

  #onMessage(message: PrimaryMessage, handle: SocketHandle | undefined): void {
    switch (message.fw) {
      case 'ping':
        this.#send({ fw: 'pong' })
        break
      case 'place': {
        const { listen, binding, ticketSecret, drainMs } = message
        this.#drainMs = drainMs
        this.#asked.get(listen)?.resolve({ binding, handle, ticketSecret })
        break
      }
      case 'refused':
        this.#asked.get(message.listen)?.reject(withCode('FW_WORKER_FAILED', new StartupError(message.message)))
        break
      case 'close':
        this.#open.get(message.listen)?.close(message.drainMs, message.whole)
        break
      case 'reload':
        void this.#reload(message.listen)
    }
  }

  async #reload(listen: number): Promise<void> {
    let failure: string | undefined
    try {
      await this.#hooks.get(listen)?.reloadTls()
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error)
    }
    this.#send({ fw: 'reloaded', listen, error: failure })
  }

  #onPrimaryGone(): void {
    if (this.#open.size === 0) process.exit()
    for (const listener of this.#open.values()) listener.close(this.#drainMs, true)
  }

  #closing(listen: number): ClosingEvents {
    return {
      onClosing: () => {
        this.#send({ fw: 'leaving', listen })
      },
      onClosed: () => {
        this.#open.delete(listen)
        this.#send({ fw: 'closed', listen })
        if (this.#open.size === 0) this.#end()
      },
    }
  }

  /** Ends the process after its last listener. Forces the exit if the application keeps it running. */
  #end(): void {
    if (process.connected) process.disconnect?.()
    setTimeout(() => process.exit(), EXIT_MS).unref()
  }
}

interface WorkerListenerEvents extends ClosingEvents {
  onRestartWanted(): void
}

interface ClosingEvents {
  onClosing(): void
  onClosed(): void
}

/** Listener that notifies the primary when it starts to close and when it is closed. */
class WorkerListener implements OpenListener {
  readonly #listener: OpenListener
  readonly #hooks: ServerHooks
  readonly #events: WorkerListenerEvents

  constructor(listener: OpenListener, hooks: ServerHooks, events: WorkerListenerEvents) {
    this.#listener = listener
    this.#hooks = hooks
    this.#events = events
  }

  get address(): ListenerAddress {
    return this.#listener.address
  }

  close(drainMs: number, whole: boolean): void {
    this.#hooks.close(this, drainMs, whole)
  }

  async drain(drainMs: number, whole: boolean): Promise<void> {
    this.#events.onClosing()
    try {
      await this.#listener.drain(drainMs, whole)
    } finally {
      this.#events.onClosed()
    }
  }

  destroy(): void {
    this.#listener.destroy()
  }

  async restart(): Promise<void> {
    this.#events.onRestartWanted()
  }

  count(traffic: Traffic): void {
    this.#listener.count?.(traffic)
  }
}
