import cluster from 'node:cluster'
import { randomBytes } from 'node:crypto'
import type { Worker } from 'node:cluster'
import { withCode } from '@fw/options'
import type { Backplane, BackplaneEvent, BackplaneHost, DeliveredEvent } from '../backplane.ts'
import { reportThrown } from '../../stream/report.ts'
import { TurnBatch, isSseMessage, type ToPrimary, type ToWorker } from './messages.ts'

/** The hubs in this process, by channel name. */
const hubs = new Map<string, WorkerHub>()

/**
 * Runs in the primary, or in a process without workers. Orders the events from all processes and sends them to each
 * process.
 */
// docs/decisions/0061
export class WorkerHub implements Backplane {
  readonly #channel: string
  readonly #workers = new Set<Worker>()
  /** Prefix for generated IDs, different for each process start. */
  readonly #epoch: string = Date.now().toString(36) + randomBytes(3).toString('hex')
  readonly #toWorkers = new TurnBatch<DeliveredEvent>((events) => this.#sendAll(events))
  #host: BackplaneHost | undefined = undefined
  #published = 0

  constructor(channel: string) {
    this.#channel = channel
  }

  /** @throws {Error} if this process already has a channel with that name */
  open(host: BackplaneHost): Promise<void> {
    if (hubs.has(this.#channel)) {
      throw withCode(
        'FW_BACKPLANE_TAKEN',
        new Error(`Cannot open the backplane: a channel named '${this.#channel}' exists. Use another name.`),
      )
    }
    this.#host = host
    if (hubs.size === 0) cluster.on('message', onMessage).on('disconnect', onDisconnect)
    hubs.set(this.#channel, this)
    return Promise.resolve()
  }

  publish({ event, data, id, key }: BackplaneEvent): void {
    if (this.#host === undefined) {
      throw withCode('FW_BACKPLANE_CLOSED', new Error('Cannot publish: the backplane is closed. Create a new one.'))
    }
    const position = String(this.#published++)
    const delivered = { event, data, id: id ?? `${this.#epoch}-${position}`, key, position }
    this.#host.deliver(delivered)
    if (this.#workers.size > 0) this.#toWorkers.add(delivered)
  }

  catchUp(): Promise<void> {
    return Promise.resolve()
  }

  close(): Promise<void> {
    if (this.#host === undefined) return Promise.resolve()
    this.#toWorkers.flush()
    this.#host = undefined
    this.#workers.clear()
    hubs.delete(this.#channel)
    if (hubs.size === 0) cluster.off('message', onMessage).off('disconnect', onDisconnect)
    return Promise.resolve()
  }

  receive(worker: Worker, message: ToPrimary): void {
    switch (message.sse) {
      case 'join':
        return this.#join(worker)
      case 'publish':
        return this.#publishAll(message.events)
      case 'catchUp':
        this.#toWorkers.flush()
        return send(worker, { sse: 'caughtUp', channel: this.#channel, question: message.question })
      case 'leave':
        this.forget(worker)
    }
  }

  forget(worker: Worker): void {
    this.#workers.delete(worker)
  }

  #publishAll(events: readonly BackplaneEvent[]): void {
    for (const event of events) {
      try {
        this.publish(event)
      } catch (error) {
        // A worker with newer code may have accepted an event that this process refuses.
        reportThrown('publish of a worker process', error)
      }
    }
  }

  /** Sends a worker the kept events, then each new one. */
  #join(worker: Worker): void {
    // Flush first, because the kept events include those that are waiting for other workers.
    this.#toWorkers.flush()
    const kept = [...(this.#host?.kept() ?? [])]
    if (kept.length > 0) send(worker, { sse: 'deliver', channel: this.#channel, events: kept })
    send(worker, { sse: 'joined', channel: this.#channel })
    this.#workers.add(worker)
  }

  #sendAll(events: readonly DeliveredEvent[]): void {
    for (const worker of this.#workers) send(worker, { sse: 'deliver', channel: this.#channel, events })
  }
}

function onMessage(worker: Worker, message: unknown): void {
  if (!isSseMessage(message)) return
  const toPrimary = message as ToPrimary
  hubs.get(toPrimary.channel)?.receive(worker, toPrimary)
}

function onDisconnect(worker: Worker): void {
  for (const hub of hubs.values()) hub.forget(worker)
}

function send(worker: Worker, message: ToWorker): void {
  // A disconnected worker is about to exit.
  if (worker.isConnected()) worker.send(message, undefined, undefined, () => {})
}
