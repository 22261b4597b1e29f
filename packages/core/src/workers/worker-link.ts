import cluster from 'node:cluster'
import type { ListenerAddress } from '../listening/listener.ts'
import { StartupError } from '../options/startup-error.ts'
import { tearsLines } from './line-relay.ts'
import { isOurs, type PrimaryMessage, type WorkerMessage } from './messages.ts'
import type { OpenListener, Place, ServerHooks } from './open-listener.ts'
import type { SocketHandle } from './port-sockets.ts'
import { SLOT_VARIABLE } from './worker-process.ts'

/** What the application may take to end once all is closed; it may have something open that it never closes. */
const EXIT_MS = 500

/** Whether this process was started by `listen` in its primary. */
export function isWorkerProcess(): boolean {
  return cluster.isWorker && process.env[SLOT_VARIABLE] !== undefined
}

/** A worker's connection to its primary. */
export class WorkerLink {
  readonly #open = new Map<number, WorkerListener>()
  readonly #asked = new Map<number, PromiseWithResolvers<Place>>()
  readonly #hooks = new Map<number, ServerHooks>()
  #drainMs = 0

  constructor() {
    process.on('message', (message: unknown, handle: unknown) => {
      if (isOurs(message)) this.#onMessage(message as PrimaryMessage, handle as SocketHandle | undefined)
    })
    // The terminal and some service managers signal all processes; only the primary acts on this one.
    process.on('SIGHUP', () => {})
    // If the primary dies, node:cluster would end this process before its running requests are answered.
    process.prependOnceListener('disconnect', () => {
      if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true
      this.#onPrimaryGone()
    })
    // The primary reads what is written; without it these fail, which is no reason to end before the rest is done.
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
      const listener = new WorkerListener(await hooks.open(place), hooks, this.#closing(listen))
      this.#open.set(listen, listener)
      const { address } = listener
      this.#send({ fw: 'listening', listen, address: { ...address, url: address.url.href } })
      return listener
    } catch (error) {
      // Told once, by the primary, instead of by each worker. This process has no use.
      const message = error instanceof Error ? error.message : String(error)
      process.send?.({ fw: 'failed', listen, message } satisfies WorkerMessage, () => process.exit(1))
      return await new Promise<never>(() => {})
    }
  }

  #send(message: WorkerMessage): void {
    // A primary that has died needs no message.
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
        this.#asked.get(message.listen)?.reject(new StartupError(message.message))
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

  /** Nothing is served any more: the process ends by itself if the application lets it, and soon in any case. */
  #end(): void {
    if (process.connected) process.disconnect?.()
    setTimeout(() => process.exit(), EXIT_MS).unref()
  }
}

interface ClosingEvents {
  onClosing(): void
  onClosed(): void
}

/** A listener that tells when it closes. */
class WorkerListener implements OpenListener {
  readonly #listener: OpenListener
  readonly #hooks: ServerHooks
  readonly #events: ClosingEvents

  constructor(listener: OpenListener, hooks: ServerHooks, events: ClosingEvents) {
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
}
