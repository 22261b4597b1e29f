import { peerAddress } from '@fw/client-address'
import type { Refusal } from '@fw/types'
import type { Entry } from '../entry/entry.ts'
import { redactQuery } from './redact.ts'
import type { Settings } from '../config/settings.ts'
import { isToken } from '../config/check-config.ts'

/** The entry of a request that the protocol engine refused: as much as it understood. */
export function refusedEntry(refusal: Refusal, settings: Settings): Entry {
  const { status, method, target } = refusal
  const { path, query } = target === undefined ? { path: '-', query: '' } : splitTarget(target)
  const durationNs = Math.round(refusal.durationMs * 1e6)
  return {
    // Without a response it was as bad a request as those that get one.
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

/** A request target cut in two, neither decoded nor normalised. */
interface TargetParts {
  readonly path: string
  /** After the first `?`; empty without one. */
  readonly query: string
}

/**
 * Cuts a request target at the first `?`; scheme and authority of an absolute one are dropped (RFC 9112 §3.2.2), and what
 * may be a password before the host of any other. Takes anything, because what could not be parsed is logged too.
 */
export function splitTarget(target: string): TargetParts {
  const origin = target.replace(/^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*|[^/?#]*@)/i, '')
  const mark = origin.indexOf('?')
  if (mark === -1) return { path: origin || '/', query: '' }
  return { path: origin.slice(0, mark) || '/', query: origin.slice(mark + 1) }
}
