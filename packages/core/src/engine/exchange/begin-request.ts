import type { Exchange } from '@fw/types'
import { responseBatch } from '../event-loop/response-batch.ts'
import type { EngineHost } from '../engine-host.ts'
import { runOutsideRequests } from '../event-loop/outside-requests.ts'

/**
 * Hands a request over. What its handler does to the asynchronous context (`AsyncLocalStorage.enterWith`) ends with the
 * call: requests that were received together may be those of different users, behind a proxy.
 *
 * @param isAlone Whether nothing that was received with it begins in this turn, so that nothing has to be kept from it
 */
export function beginRequest(host: EngineHost, exchange: Exchange, isAlone: boolean): void {
  responseBatch.beforeHandler()
  if (isAlone) host.onRequest(exchange)
  else runOutsideRequests(begin, host, exchange)
}

function begin(host: EngineHost, exchange: Exchange): void {
  host.onRequest(exchange)
}
