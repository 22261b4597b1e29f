import type { Exchange, FieldList } from '@fw/types'
import { bufferLedger } from '../budget/buffer-ledger.ts'
import { responseBatch } from '../event-loop/response-batch.ts'
import type { EngineHost } from '../engine-host.ts'
import { runOutsideRequests } from '../event-loop/outside-requests.ts'

/** Value of `retry-after`. While memory is short, stalled connections are closed within two seconds. */
export const RETRY_AFTER_SECONDS = '2'

/**
 * Starts the handler of a request, or answers 503 while the process has reached `maxBufferedBytes`.
 *
 * The handler's asynchronous context (`AsyncLocalStorage.enterWith`) must not reach the next request, because behind a
 * proxy, the requests in one read can come from different users.
 *
 * @param isAlone Whether no other request from the same read starts in this turn. The context then needs no isolation
 */
export function beginRequest(host: EngineHost, exchange: Exchange, isAlone: boolean): void {
  responseBatch.beforeHandler()
  if (bufferLedger.isFull(host.limits.maxBufferedBytes)) refuse(host, exchange)
  else if (isAlone) host.onRequest(exchange)
  else runOutsideRequests(begin, host, exchange)
}

function begin(host: EngineHost, exchange: Exchange): void {
  host.onRequest(exchange)
}

/** Answers 503, because the process is buffering too many bytes and a handler would add to them. */
function refuse(host: EngineHost, exchange: Exchange): void {
  const { protocol, remoteAddress, method, target } = exchange
  bufferLedger.onRefused()
  exchange.respond(503, OVERLOADED_FIELDS, null)
  const reason = 'Too many bytes are waiting for other clients (limits.maxBufferedBytes)'
  host.onRefused({ status: 503, reason, protocol, remoteAddress, method, target, bodyBytes: 0, durationMs: 0 })
}

/** Fields for a 503 response due to lack of memory. */
const OVERLOADED_FIELDS: FieldList = ['retry-after', RETRY_AFTER_SECONDS]
const NO_FIELDS: FieldList = []
/** Methods that are safe or idempotent (RFC 9110 §9.2). */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE'])

/**
 * Returns the fields for a 503 response that replaces a handler's result. `retry-after` would make some clients repeat
 * a POST even though the handler has run.
 */
export function overloadedFields(method: string): FieldList {
  return REPEATABLE.has(method) ? OVERLOADED_FIELDS : NO_FIELDS
}
