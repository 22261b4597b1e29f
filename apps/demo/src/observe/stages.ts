import type { Stage } from '../live/messages.ts'

/** The times of a request in milliseconds, on one clock. */
export interface RequestTimes {
  /** Time when the connection was accepted; set only for its first request. */
  readonly accepted?: number | undefined
  /** Milliseconds of the TLS handshake. */
  readonly handshakeMs?: number | undefined
  readonly tlsVersion?: string | undefined
  readonly isQuic: boolean
  readonly received?: number | undefined
  readonly parsed?: number | undefined
  readonly routed?: number | undefined
  /** Time when the application started to handle the request. */
  readonly started: number
  readonly answered?: number | undefined
  /** Time when the exchange ended. */
  readonly finished: number
  readonly flushed?: number | undefined
  /** Middleware, the outermost first. */
  readonly around: readonly Span[]
  readonly handler: Span | undefined
}

/** A named period in milliseconds. */
export interface Span {
  readonly name: string
  readonly from: number
  readonly to: number
}

/**
 * Longest connection setup that is drawn. If a client sends its request long after it has connected, the wait would hide all
 * other stages.
 */
const MAX_IDLE_MS = 5

/** The stages of a request. */
export interface Waterfall {
  readonly stages: readonly Stage[]
  /** Start of the first stage, on the same clock as the times. */
  readonly zero: number
  readonly totalUs: number
  readonly tookUs: number
}

/** Turns the times of a request into stages, in the order in which they begin. */
export function waterfall(times: RequestTimes): Waterfall {
  const { accepted, handshakeMs = 0, isQuic, received = times.started, parsed, routed, answered, finished } = times
  const end = Math.max(finished, times.flushed ?? 0, answered ?? 0)
  const spans: (Span & { kind: Stage['kind'] })[] = []
  const add = (name: string, kind: Stage['kind'], from: number | undefined, to: number | undefined): void => {
    if (from !== undefined && to !== undefined && to >= from) spans.push({ name, kind, from, to })
  }
  const isDrawn = accepted !== undefined && received - accepted - handshakeMs < MAX_IDLE_MS
  if (isDrawn) {
    const secured = accepted + handshakeMs
    if (handshakeMs > 0) add(isQuic ? 'QUIC, TLS 1.3' : tlsName(times.tlsVersion), 'net', accepted, secured)
    add(handshakeMs > 0 ? 'wait' : 'accept', 'net', secured, received)
  }
  add('parse', 'fw', received, parsed)
  add('route', 'fw', parsed, routed)
  for (const { name, from, to } of times.around) add(name, 'around', from, to)
  if (times.handler !== undefined) add(times.handler.name, 'app', times.handler.from, times.handler.to)
  const handled = times.handler?.to ?? routed ?? times.started
  add('answer', 'fw', handled, answered ?? finished)
  add(times.flushed === undefined ? 'body' : 'write', 'net', answered, times.flushed ?? finished)

  const zero = isDrawn ? accepted : received
  const stages = spans.map(({ name, kind, from, to }) => ({
    name,
    kind,
    fromUs: microseconds(from - zero),
    toUs: microseconds(to - zero),
  }))
  return { stages, zero, totalUs: microseconds(end - zero), tookUs: microseconds((answered ?? finished) - received) }
}

function tlsName(version = 'TLS'): string {
  return version.replace('TLSv', 'TLS ')
}

function microseconds(ms: number): number {
  return Math.max(0, Math.round(ms * 1000))
}
