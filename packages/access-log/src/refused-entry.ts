import { peerAddress } from '@fw/client-address'
import type { Refusal } from '@fw/types'
import type { Entry } from './entry.ts'
import { redactQuery } from './redact.ts'
import type { Settings } from './settings.ts'
import { splitTarget } from './target.ts'
import { isToken } from './token.ts'

/** The entry of a request that the protocol engine refused: as much as it understood. */
export function refusedEntry(refusal: Refusal, settings: Settings): Entry {
  const { status, method, target } = refusal
  const { path, query } = target === undefined ? { path: '-', query: '' } : splitTarget(target)
  const durationNs = Math.round(refusal.durationMs * 1e6)
  return {
    // Without an answer it was as bad a request as those that get one.
    status: status === 0 ? 400 : status,
    isAborted: status === 0 || status === 499,
    durationNs,
    isSlow: durationNs > settings.slowThresholdNs,
    method: method !== undefined && isToken(method) ? method : '-',
    path,
    query: settings.logQuery ? redactQuery(query, settings.redactQuery) : '',
    bytes: refusal.bodyBytes,
    clientAddress: settings.logClientIp ? peerAddress(refusal.remoteAddress) : undefined,
    protocol: refusal.protocol,
    requestHeaders: [],
    responseHeaders: [],
    correlationId: undefined,
    trace: undefined,
  }
}
