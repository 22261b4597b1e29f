import type { Exchange, FieldList } from '@fw/types'
import { bufferLedger } from '../budget/buffer-ledger.ts'
import { responseBatch } from '../event-loop/response-batch.ts'
import type { EngineHost } from '../engine-host.ts'
import { runOutsideRequests } from '../event-loop/outside-requests.ts'

/** Seconds after which a client may try again. While memory is short, stalled connections are closed within two. */
const RETRY_AFTER_SECONDS = '2'

/**
 * Hands a request over. What its handler does to the asynchronous context (`AsyncLocalStorage.enterWith`) ends with the
 * call: requests that were received together may be those of different users, behind a proxy.
 *
 * @param isAlone Whether nothing that was received with it begins in this turn, so that nothing has to be kept from it
 */
export function beginRequest(host: EngineHost, exchange: Exchange, isAlone: boolean): void {
  responseBatch.beforeHandler()
  const { maxBufferedBytes } = host.limits
  if (bufferLedger.bytes >= maxBufferedBytes && maxBufferedBytes > 0) refuse(host, exchange)
  else if (isAlone) host.onRequest(exchange)
  else runOutsideRequests(begin, host, exchange)
}

function begin(host: EngineHost, exchange: Exchange): void {
  host.onRequest(exchange)
}

/** Too much waits for other clients. A handler would add to it. */
function refuse(host: EngineHost, exchange: Exchange): void {
  const { protocol, remoteAddress, method, target } = exchange
  bufferLedger.onRefused()
  exchange.respond(503, OVERLOADED_FIELDS, null)
  const reason = 'Too many bytes wait for other clients (limits.maxBufferedBytes)'
  host.onRefused({ status: 503, reason, protocol, remoteAddress, method, target, bodyBytes: 0, durationMs: 0 })
}

/** The fields of a response that a lack of memory has prevented. */
export const OVERLOADED_FIELDS: FieldList = ['retry-after', RETRY_AFTER_SECONDS]
