import type { RequestHeaders } from '@fw/types'

/** The trace that a request belongs to, and the operation in it that made the request. */
export interface TraceContext {
  /** 32 hexadecimal digits in lower case. */
  readonly traceId: string
  /** 16 hexadecimal digits in lower case. */
  readonly parentId: string
}

/** Length of a version 00 field; later versions may have more, after a hyphen. */
const LENGTH = 55
/** Version ff is forbidden, and ids of zeros alone are none. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:-|$)/

/**
 * Reads `traceparent`.
 *
 * @returns `undefined` if there is none, it is malformed, or there are several
 * @see W3C Trace Context §3.2
 */
export function traceContextOf(headers: RequestHeaders): TraceContext | undefined {
  const field = headers.get('traceparent')
  if (field === null) return undefined
  const [, traceId, parentId] = TRACEPARENT.exec(field) ?? []
  if (traceId === undefined || parentId === undefined) return undefined
  return field.startsWith('00') && field.length !== LENGTH ? undefined : { traceId, parentId }
}
