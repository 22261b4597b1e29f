import { peerAddress } from '@fw/client-address'
import type { Context, Outcome, Refusal, RequestHeaders } from '@fw/types'
import { AccessLogFormat } from './config.ts'
import { correlationId } from './correlation-id.ts'
import type { CapturedHeader, Entry } from './entry.ts'
import { REDACTED, redactQuery } from './redact.ts'
import type { HeaderChoice, Settings } from './settings.ts'
import { splitTarget } from './target.ts'
import { isToken } from './token.ts'
import { traceContextOf } from './trace-context.ts'

/** How a request ended: what its level depends on, known before anything is formatted. */
export type Ending = Pick<Entry, 'status' | 'durationNs' | 'isSlow' | 'isAborted'>

/** How a request ended that had a context. */
export function endingOf({ status, aborted }: Outcome, durationMs: number, settings: Settings): Ending {
  // 499 is not registered: the client left before the head, as nginx writes it.
  return ending(status === 0 ? 499 : status, aborted, durationMs, settings)
}

/** How a request ended that the protocol engine refused. */
export function refusedEnding({ status, durationMs }: Refusal, settings: Settings): Ending {
  // Without an answer it was as bad a request as those that get one.
  return ending(status === 0 ? 400 : status, status === 0, durationMs, settings)
}

/** The entry of a request that had a context. */
export function contextEntry(ctx: Context, bodyBytes: number, end: Ending, settings: Settings): Entry {
  const { method } = ctx
  const { requestHeaders, responseHeaders } = settings
  return {
    status: end.status,
    durationNs: end.durationNs,
    isSlow: end.isSlow,
    isAborted: end.isAborted,
    method,
    path: ctx.path,
    query: settings.logQuery ? redactQuery(ctx.rawQuery, settings.redactQuery) : '',
    bytes: hasBody(method, end.status) ? bodyBytes : 0,
    clientAddress: settings.logClientIp ? settings.clientAddress(ctx) : undefined,
    protocol: ctx.protocol,
    requestHeaders: requestHeaders.length === 0 ? NONE : capture(requestHeaders, ctx.headers),
    responseHeaders: responseHeaders.length === 0 ? NONE : capture(responseHeaders, ctx.responseHeaders),
    correlationId:
      // No other format shows it.
      settings.format === AccessLogFormat.Json ? correlationId(ctx.headers.get(settings.correlationHeader)) : undefined,
    trace: settings.logTraceContext ? traceContextOf(ctx.headers) : undefined,
  }
}

/** The entry of a request that the protocol engine refused: as much as it understood. */
export function refusedEntry(refusal: Refusal, end: Ending, settings: Settings): Entry {
  const { method, target } = refusal
  const { path, query } = target === undefined ? { path: '-', query: '' } : splitTarget(target)
  return {
    ...end,
    method: method !== undefined && isToken(method) ? method : '-',
    path,
    query: settings.logQuery ? redactQuery(query, settings.redactQuery) : '',
    bytes: refusal.bodyBytes,
    clientAddress: settings.logClientIp ? peerAddress(refusal.remoteAddress) : undefined,
    protocol: refusal.protocol,
    requestHeaders: NONE,
    responseHeaders: NONE,
    correlationId: undefined,
    trace: undefined,
  }
}

function ending(status: number, isAborted: boolean, durationMs: number, { slowThresholdNs }: Settings): Ending {
  const durationNs = Math.round(durationMs * 1e6)
  return { status, durationNs, isSlow: durationNs > slowThresholdNs, isAborted }
}

const NONE: readonly CapturedHeader[] = []

/** Header values of one side; a name without a field is left out. */
function capture(choices: readonly HeaderChoice[], headers: Pick<RequestHeaders, 'getAll'>): readonly CapturedHeader[] {
  const captured: CapturedHeader[] = []
  for (const { label, name, isRedacted } of choices) {
    const values = headers.getAll(name)
    if (values.length > 0) captured.push({ name: label, value: isRedacted ? REDACTED : values.join(', ') })
  }
  return captured
}

/** RFC 9110 §6.4.1 */
function hasBody(method: string, status: number): boolean {
  return method !== 'HEAD' && status !== 204 && status !== 304 && status >= 200
}
