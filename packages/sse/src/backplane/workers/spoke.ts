import { withCode } from '@fw/options'
import type { Backplane, BackplaneEvent, BackplaneHost, DeliveredEvent } from '../backplane.ts'
import { reportThrown } from '../../stream/report.ts'
import { TurnBatch, isSseMessage, type ToPrimary, type ToWorker } from './messages.ts'

/** Milliseconds without a response from the primary after which a warning is emitted. */
const RESPONSE_MS = 5000

/** The spokes in this process, by channel name. */
const spokes = new Map<string, WorkerSpoke>()

/** Runs in a worker. Sends events to the primary, and receives the ordered events from all processes. */
export class WorkerSpoke implements Backplane {
  readonly #channel: string
  readonly #toPrimary = new TurnBatch<BackplaneEvent>((events) => {
    this.#send({ sse: 'publish', channel: this.#channel, events })
  })
  readonly #joined = Promise.withResolvers<void>()
  readonly #questions = new Map<number, PromiseWithResolvers<void>>()
  #asked = 0
  #host: BackplaneHost | undefined = undefined
  #isClosed = false

  constructor(channel: string) {
    this.#channel = channel
  }

  /** @throws {Error} if this process already has a channel with that name */
  open(host: BackplaneHost): Promise<void> {
    if (spokes.has(this.#channel)) {
      throw withCode(
        'FW_BACKPLANE_TAKEN',
        new Error(`Cannot open the backplane: a channel named '${this.#channel}' exists. Use another name.`),
      )
    }
    this.#host = host
    if (spokes.size === 0) process.on('message', onMessage).on('disconnect', onDisconnect)
    spokes.set(this.#channel, this)
    this.#send({ sse: 'join', channel: this.#channel })
    const warning = setTimeout(() => warnOfSilence(this.#channel), RESPONSE_MS).unref()
    return this.#joined.promise.finally(() => clearTimeout(warning))
  }

  /** @throws {Error} if the primary has ended */
  publish(event: BackplaneEvent): void {
    if (this.#isClosed)
      throw withCode('FW_BACKPLANE_CLOSED', new Error('Cannot publish: the backplane is closed. Create a new one.'))
    if (!process.connected) {
      throw withCode(
        'FW_BACKPLANE_CLOSED',
        new Error('Cannot publish: the primary process has ended. Restart the program.'),
      )
    }
    this.#toPrimary.add(event)
  }

  catchUp(): Promise<void> {
    this.#toPrimary.flush()
    const question = this.#asked++
    const response = Promise.withResolvers<void>()
    this.#questions.set(question, response)
    if (this.#isClosed || !process.connected) this.giveUp()
    else this.#send({ sse: 'catchUp', channel: this.#channel, question })
    return response.promise
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#toPrimary.flush()
    this.#isClosed = true
    if (spokes.get(this.#channel) === this) spokes.delete(this.#channel)
    if (spokes.size === 0) process.off('message', onMessage).off('disconnect', onDisconnect)
    await new Promise<void>((resolve) => this.#send({ sse: 'leave', channel: this.#channel }, resolve))
    this.giveUp()
  }

  receive(message: ToWorker): void {
    switch (message.sse) {
      case 'joined':
        return this.#joined.resolve()
      case 'deliver':
        return this.#deliverAll(message.events)
      case 'caughtUp':
        this.#questions.get(message.question)?.resolve()
        this.#questions.delete(message.question)
    }
  }

  /** Rejects all pending requests, because the primary or the channel has ended. */
  giveUp(): void {
    const error = withCode('FW_BACKPLANE_CLOSED', new Error('The backplane is closed'))
    for (const { reject } of this.#questions.values()) reject(error)
    this.#questions.clear()
    // No stored events will arrive.
    this.#joined.resolve()
  }

  #deliverAll(events: readonly DeliveredEvent[]): void {
    for (const event of events) {
      try {
        this.#host?.deliver(event)
      } catch (error) {
        // A primary with newer code may have accepted an event that this process refuses.
        reportThrown('An event from the primary process', error)
      }
    }
  }

  #send(message: ToPrimary, onSent: () => void = () => {}): void {
    if (process.send === undefined || !process.connected) onSent()
    else process.send(message, undefined, undefined, onSent)
  }
}

function onMessage(message: unknown): void {
  if (!isSseMessage(message)) return
  const toWorker = message as ToWorker
  spokes.get(toWorker.channel)?.receive(toWorker)
}

function onDisconnect(): void {
  for (const spoke of spokes.values()) spoke.giveUp()
}

function warnOfSilence(channel: string): void {
  process.emitWarning(
    `The primary process does not have the event channel '${channel}': create it before listen(), and not only in the workers`,
    'SseWarning',
  )
}
