import { channel, tracingChannel, type Channel, type TracingChannel } from 'node:diagnostics_channel'
import type { ConnectionTrace, ExchangeTrace } from '@fw/types'

/** Publishes the start and the end of each request. */
export const requestChannel: TracingChannel<object, object> = tracingChannel('fw.request')
/** Publishes each request when the last byte of its response has been sent. */
export const flushedChannel: Channel<object, object> = channel('fw.request.flushed')

/** Reports whether a channel has subscribers. Without them, tracing costs only this check. */
export function isTraced(): boolean {
  return requestChannel.hasSubscribers || flushedChannel.hasSubscribers
}

/** Returns the time at which the engine received bytes; 0 while requests are not traced, which saves reading the clock. */
export function receivedNow(): number {
  return isTraced() ? performance.now() : 0
}

/**
 * Creates the trace of a request whose head was just parsed.
 *
 * @param received Time of the first bytes of the request. Default: now
 */
export function traceExchange(
  received?: number,
  connection?: ConnectionTrace,
  stream?: number,
  nth?: number,
): ExchangeTrace {
  const parsed = performance.now()
  const timing = { received: received ?? parsed, parsed, routed: undefined, answered: undefined, flushed: undefined }
  return { timing, connection, stream, nth, onFlushed: undefined }
}

/** Records that the last response byte has been sent. */
export function traceFlushed(trace: ExchangeTrace): void {
  trace.timing.flushed = performance.now()
  trace.onFlushed?.()
}
