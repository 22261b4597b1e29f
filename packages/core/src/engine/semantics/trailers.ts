import type { FieldList } from '@fw/types'

/**
 * Fields that say how a message is framed, routed, authenticated or processed. They must not come after the body, when
 * those decisions are made (RFC 9110 §6.5.1; RFC 7230 §4.1.2 names them).
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

/** Reports whether a handler may see a trailer field of that lower-case name. Others are discarded. */
export function isTrailerAllowed(name: string): boolean {
  return !FORBIDDEN.has(name)
}

/** Returns the trailer fields that a handler may see: `fields` itself if those are all. */
export function allowedTrailers(fields: FieldList): FieldList {
  const allowed: string[] = []
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] ?? ''
    if (isTrailerAllowed(name)) allowed.push(name, fields[i + 1] ?? '')
  }
  return allowed.length === fields.length ? fields : allowed
}
