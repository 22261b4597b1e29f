import type { FieldList } from '@fw/types'

/**
 * Fields that control framing, routing, authentication or processing. A server makes those decisions before the trailer
 * section arrives (RFC 9110 §6.5.1; RFC 7230 §4.1.2 lists the fields).
 */
const FORBIDDEN: ReadonlySet<string> = new Set([
  'authorization',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'cookie',
  'expect',
  'host',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'keep-alive',
  'max-forwards',
  'pragma',
  'proxy-authorization',
  'range',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Reports whether the trailer field with this lower-case name is passed to handlers. Others are discarded. */
export function isTrailerAllowed(name: string): boolean {
  return !FORBIDDEN.has(name)
}

/** Returns the trailer fields without the forbidden ones; `fields` itself if all are allowed. */
export function allowedTrailers(fields: FieldList): FieldList {
  const allowed: string[] = []
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] ?? ''
    if (isTrailerAllowed(name)) allowed.push(name, fields[i + 1] ?? '')
  }
  return allowed.length === fields.length ? fields : allowed
}
