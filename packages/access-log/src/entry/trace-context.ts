import type { RequestHeaders } from '@fw/types'

/** Identifies the trace of a request, and the operation that sent the request. */
export interface TraceContext {
  /** The trace ID: 32 hexadecimal digits in lower case. */
  readonly traceId: string
  /** The parent operation's ID: 16 hexadecimal digits in lower case. */
  readonly parentId: string
}

/** The length of a version 00 field. Later versions can append text after a hyphen. */
const LENGTH = 55
/** Matches a valid field. Excludes version ff, and IDs that consist of zeros. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:-|$)/

/**
 * Reads `traceparent`.
 *
 * @returns `undefined` if the field is absent, malformed or repeated
 * @see W3C Trace Context §3.2
 */
export function traceContextOf(headers: RequestHeaders): TraceContext | undefined {
  const field = headers.get('traceparent')
  if (field === null) return undefined
  const [, traceId, parentId] = TRACEPARENT.exec(field) ?? []
  if (traceId === undefined || parentId === undefined) return undefined
  return field.startsWith('00') && field.length !== LENGTH ? undefined : { traceId, parentId }
}
