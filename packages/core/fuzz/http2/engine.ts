import type { Exchange, Outcome } from '@fw/types'
import type { Socket } from 'node:net'
import { setImmediate, setTimeout as delay } from 'node:timers/promises'
import { Deadlines } from '../../src/engine/event-loop/deadlines.ts'
import { SocketTransport } from '../../src/engine/socket/socket-transport.ts'
import { Http2Connection } from '../../src/http2/connection.ts'
import type { Http2Exchange } from '../../src/http2/exchange.ts'
import { DEFAULT_LIMITS } from '../../src/options/limits.ts'
import type { Random } from '@fw/testing/fuzz'
import type { Field } from '../../test/http2/hpack.ts'
import { echo, type Behavior } from './behaviors.ts'
import { ConnectionView } from './connection-view.ts'
import { understood, type Understood } from './understood.ts'
import { Wire } from './wire.ts'

/** The engine's result for some input. */
export interface Verdict {
  /** Complete requests by stream ID. */
  readonly requests: ReadonlyMap<number, Understood>
  /** Reasons why the engine rejected requests or the connection. */
  readonly refusals: readonly string[]
  readonly view: ConnectionView
}

export interface AskOptions {
  readonly random: Random
  readonly behaviors?: readonly [Behavior, ...Behavior[]]
  /** Whether the socket delays its writes. */
  readonly isSlow?: boolean
}

const deadlines = new Deadlines(5)
/**
 * Maximum time that a stream waits for the rest of its request after the response, with a margin for a busy machine.
 */
const MAX_LINGER_MS = 5000
const LINGER_STEP_MS = 5
/** Upper bound for bytes that wait for the socket: 256 KiB, one write, and the content of one call. */
const MAX_WAITING_BYTES = 1024 * 1024

/**
 * Runs the engine on bytes that arrive in the given slices.
 *
 * @throws {Error} if the engine violates the protocol or leaves work unfinished
 */
export async function ask(slices: readonly Buffer[], options: AskOptions): Promise<Verdict> {
  const { random, behaviors = [echo], isSlow = false } = options
  const wire = new Wire(isSlow)
  wire.on('error', () => {})
  const view = new ConnectionView()
  const requests = new Map<number, Understood>()
  const refusals: string[] = []
  const outcomes = new Map<Exchange, Outcome[]>()
  let isOver = false
  const connection = new Http2Connection(new SocketTransport(wire as unknown as Socket, false), {
    deadlines,
    host: {
      limits: { ...DEFAULT_LIMITS, maxStreamResetBurst: 1000, drainIdleMs: 0, lingerTimeoutMs: 1 },
      altSvc: '',
      allowsTunnels: () => true,
      onRefused: ({ reason }) => refusals.push(reason),
      onRequest(exchange) {
        const ends: Outcome[] = []
        outcomes.set(exchange, ends)
        exchange.onClose = (outcome) => ends.push(outcome)
        observe(exchange, requests, refusals)
        random.pick(behaviors)(exchange, random)
      },
    },
    onClose: () => (isOver = true),
  })
  const settle = async (turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) {
      await setImmediate()
      view.onSent(wire.takeWritten())
    }
    if (wire.writableLength > MAX_WAITING_BYTES) throw new Error(`${wire.writableLength} bytes wait for the socket`)
  }
  const isBytewise = slices.length > 100
  for (const slice of slices) {
    if (wire.destroyed || wire.writableEnded) break
    view.onReceived(slice)
    wire.push(slice)
    if (!isBytewise || random.chance(0.05)) await settle(1)
    if (random.chance(0.3)) wire.release()
  }
  await settle(4)
  for (let writes = 0; wire.isHeld && writes < 1000; writes++) {
    wire.release()
    await settle(1)
  }
  await settle(2)
  const open = [...outcomes].filter(([, ends]) => ends.length === 0).map(([exchange]) => exchange)
  const isServing = !wire.destroyed && !wire.writableEnded && view.isBetweenFrames
  if (isServing) expectNothingLeft(view, open, behaviors[0] === echo && behaviors.length === 1)
  if (isServing && open.length === 0 && view.goawayCode === undefined) {
    connection.drain()
    await settle(2)
    // A stream with a complete response waits briefly for the rest of its request.
    for (let waitedMs = 0; !wire.writableEnded && waitedMs < MAX_LINGER_MS; waitedMs += LINGER_STEP_MS) {
      await delay(LINGER_STEP_MS)
      await settle(1)
    }
    if (!wire.writableEnded) throw new Error('A finished stream keeps the connection open after a drain')
  }
  if (random.chance(0.5)) wire.push(null)
  else wire.destroy()
  await settle(2)
  connection.destroy()
  await settle(1)
  if (!isOver) throw new Error('The connection is not closed')
  for (const ends of outcomes.values()) {
    if (ends.length !== 1) throw new Error(`An exchange ended ${ends.length} times instead of once`)
  }
  return { requests, refusals, view }
}

/** Records each request when it is complete, independently of its handler. */
function observe(exchange: Exchange, requests: Map<number, Understood>, refusals: string[]): void {
  const { body } = exchange
  const consume = body.consume.bind(body)
  let text = ''
  body.consume = (consumer) => {
    consume({
      data(slice) {
        text += Buffer.from(slice).toString('latin1')
        consumer.data(slice)
      },
      error(error) {
        refusals.push(error.message)
        consumer.error(error)
      },
      end(trailers) {
        const { method, target, authority, headers } = exchange
        const fields: Field[] = [[':method', method], [':path', target], [':authority', authority], ...headers]
        const list = trailers.flatMap((name, i): Field[] => (i % 2 === 0 ? [[name, trailers[i + 1] ?? '']] : []))
        requests.set((exchange as Http2Exchange).id, understood(fields, text, list))
        consumer.end(trailers)
      },
    })
  }
}

/** Checks an open connection after all frames were read and written. */
function expectNothingLeft(view: ConnectionView, open: readonly Exchange[], isEcho: boolean): void {
  if (!view.isAllAcknowledged) throw new Error('SETTINGS or PING without an acknowledgment')
  const waits = [...view.streams.values()].filter((stream) => stream.status !== undefined && !stream.isOver)
  // A response must not wait while its windows are open.
  const stuck = waits.filter((stream) => stream.window > 0 && view.window > 0)
  if (isEcho && stuck.length > 0) throw new Error('A response waits without a reason')
  if (isEcho && open.some(({ status }) => status !== 0) && waits.length === 0)
    throw new Error('A response does not end')
}
