import { peerAddress } from '@fw/client-address'
import type { Refusal } from '@fw/types'
import type { Entry } from '../entry/entry.ts'
import { redactQuery } from './redact.ts'
import type { Settings } from '../config/settings.ts'

/** Matches a method, which is a token (RFC 9110 §9.1). */
const METHOD = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/

/** Returns the entry for a refused request, with the parts that the protocol engine could read. */
export function refusedEntry(refusal: Refusal, settings: Settings): Entry {
  const { status, method, target } = refusal
  const { path, query } = target === undefined ? { path: '-', query: '' } : splitTarget(target)
  const durationNs = Math.round(refusal.durationMs * 1e6)
  return {
    // A request that was reset without a response was malformed, so log it with the status 400.
    status: status === 0 ? 400 : status,
    isAborted: status === 0 || status === 499,
    durationNs,
    isSlow: durationNs > settings.slowThresholdNs,
    method: method !== undefined && METHOD.test(method) ? method : '-',
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

/** The two parts of a request target, neither decoded nor normalized. */
interface TargetParts {
  readonly path: string
  /** The text after the first `?`; empty if there is none. */
  readonly query: string
}

/**
 * Splits a request target at the first `?`. Removes the scheme and authority of an absolute target (RFC 9112 §3.2.2),
 * and any text before an `@`, which can contain a password. Accepts malformed targets, because they are logged too.
 */
export function splitTarget(target: string): TargetParts {
  const origin = target.replace(/^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*|[^/?#]*@)/i, '')
  const mark = origin.indexOf('?')
  if (mark === -1) return { path: origin || '/', query: '' }
  return { path: origin.slice(0, mark) || '/', query: origin.slice(mark + 1) }
}
