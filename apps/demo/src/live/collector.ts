import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Outcome, Refusal } from '@fw/core'
import type { Observed } from '../observe/observed.ts'
import type { RequestListener } from '../observe/observer.ts'
import type { CountsMessage, RequestMessage, SecondMessage } from './messages.ts'
import { Numbers } from './numbers.ts'
import { type Finished, refusedMessage, requestMessage } from './request-message.ts'
import { protocolIndex } from './row-of.ts'
import { Selection } from './selection.ts'

/** Receives the events of one interval. */
export interface CollectorOutput {
  counts(message: CountsMessage): void
  second(message: SecondMessage): void
  requests(messages: readonly RequestMessage[]): void
}

/** Length of a batch in milliseconds. */
const BATCH_MS = 100
const BATCHES_PER_SECOND = 1000 / BATCH_MS
/** Number of individual requests kept for new visitors. */
const KEPT_REQUESTS = 200
/** Resolution of the event-loop monitor in milliseconds. An idle loop shows a delay of this length. */
const LOOP_RESOLUTION_MS = 10

/** Collects the requests to this process, and delivers them in batches every 100 ms. */
export class Collector implements RequestListener {
  readonly numbers: Numbers = new Numbers()
  readonly #output: CollectorOutput
  readonly #connections: () => readonly number[]
  readonly #selection = new Selection()
  readonly #loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })
  readonly #timer: NodeJS.Timeout
  readonly #running = new Set<Observed>()
  /** The visitors whose faults are in progress, because a refused request does not name its visitor. */
  readonly suspects: string[] = []
  #finished: Finished[] = []
  #refused: RequestMessage[] = []
  #recent: RequestMessage[] = []
  #batches = 0

  /** @param connections Returns the open connections by protocol; empty if unknown */
  constructor(output: CollectorOutput, connections: () => readonly number[]) {
    this.#output = output
    this.#connections = connections
    this.#loop.enable()
    this.#timer = setInterval(() => this.#flush(), BATCH_MS)
    this.#timer.unref()
  }

  /** The last individual requests, the newest last. */
  get recent(): readonly RequestMessage[] {
    return this.#recent
  }

  onStart(observed: Observed): void {
    this.#running.add(observed)
  }

  onFinish(observed: Observed, outcome: Outcome, finished: number): void {
    this.#running.delete(observed)
    this.#finished.push({ observed, outcome, finished })
  }

  onRefused(refusal: Refusal): void {
    const id = `${Date.now().toString(36)}.${(this.#refusals++).toString(36)}`
    this.#refused.push(refusedMessage(refusal, id, this.suspects[0] ?? ''))
  }
  #refusals = 0

  close(): void {
    clearInterval(this.#timer)
    this.#loop.disable()
  }

  #flush(): void {
    const finished = this.#finished
    this.#finished = []
    this.#selection.refill(BATCH_MS / 1000)
    const counts = new Map<string, [number, number, number, number]>()
    const shown: RequestMessage[] = []
    for (const each of finished) {
      const message = requestMessage(each)
      this.#count(message, protocolIndex(each.observed.trace.context.protocol), counts)
      if (this.#selection.takes(message)) shown.push(message)
    }
    for (const message of this.#refused.splice(0)) {
      this.#count(message, 0, counts)
      if (this.#selection.takes(message)) shown.push(message)
    }
    if (counts.size > 0) this.#output.counts({ counts: [...counts.values()] })
    if (shown.length > 0) this.#output.requests(shown)
    this.#recent = [...this.#recent, ...shown].slice(-KEPT_REQUESTS)
    if (++this.#batches % BATCHES_PER_SECOND === 0) this.#output.second(this.numbers.tick(this.#gauges()))
  }

  #count(message: RequestMessage, protocol: number, counts: Map<string, [number, number, number, number]>): void {
    const { row, status, stages } = message
    const isFailed = status >= 400
    const key = `${protocol} ${row}`
    const count = counts.get(key) ?? [protocol, row, 0, 0]
    count[2]++
    if (isFailed) count[3]++
    counts.set(key, count)
    const handler = stages.find(({ kind }) => kind === 'app')
    const handlerUs = handler === undefined ? undefined : handler.toUs - handler.fromUs
    // An event stream is open for minutes, so its duration would distort the handler times.
    this.numbers.add({
      protocol,
      row,
      isFailed,
      handlerUs: message.pattern === '/events' ? undefined : handlerUs,
      stages: message.pattern === '/events' ? [] : stages,
    })
  }

  #gauges() {
    const delay = this.#loop.mean / 1e6 - LOOP_RESOLUTION_MS
    this.#loop.reset()
    const streams = [...this.#running].filter(({ trace }) => trace.context.path === '/events').length
    return {
      inFlight: this.#running.size - streams,
      loopDelayMs: Number.isFinite(delay) ? Math.max(0, Math.round(delay * 100) / 100) : 0,
      memoryMb: Math.round(process.memoryUsage.rss() / 2 ** 20),
      connections: this.#connections(),
    }
  }
}
