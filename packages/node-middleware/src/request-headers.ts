import type { Exchange } from '@fw/types'

/** Header fields of a request as `IncomingMessage.headers` has them: names in lower case. */
export type NodeHeaders = Record<string, string | string[]>

/** Fields of which Node.js keeps the first value and discards the others. */
const FIRST_COUNTS: ReadonlySet<string> = new Set([
  'age',
  'authorization',
  'content-length',
  'content-type',
  'etag',
  'expires',
  'from',
  'host',
  'if-modified-since',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'proxy-authorization',
  'referer',
  'retry-after',
  'server',
  'user-agent',
])

/**
 * Returns the fields of a request as names and values in turn.
 *
 * Adds `host` on HTTP/2 and HTTP/3, where `:authority` replaces it. Adds the framing of the body if no field describes it:
 * body parsers skip a body without `content-length` and `transfer-encoding`, and proxies would not forward it.
 */
export function rawHeadersOf({ headers, authority, body }: Exchange): string[] {
  const raw: string[] = []
  let hasHost = false
  let hasFraming = false
  for (const [name, value] of headers) {
    raw.push(name, value)
    if (name === 'host') hasHost = true
    else if (name === 'content-length' || name === 'transfer-encoding') hasFraming = true
  }
  if (!hasHost && authority !== '') raw.unshift('host', authority)
  if (hasFraming || body.length === 0) return raw
  if (body.length === undefined) raw.push('transfer-encoding', 'chunked')
  else raw.push('content-length', String(body.length))
  return raw
}

/** Joins the values of each name by the rules of Node.js. */
export function headersOf(raw: readonly string[]): NodeHeaders {
  const headers: NodeHeaders = {}
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? ''
    const value = raw[i + 1] ?? ''
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined
    if (name === 'set-cookie') headers[name] = Array.isArray(before) ? [...before, value] : [value]
    else if (before === undefined) headers[name] = value
    else if (!FIRST_COUNTS.has(name)) headers[name] = `${String(before)}${name === 'cookie' ? '; ' : ', '}${value}`
  }
  return headers
}

/** Lists the values of each name. */
export function headersDistinctOf(raw: readonly string[]): Record<string, string[]> {
  const headers: Record<string, string[]> = Object.create(null)
  for (let i = 0; i < raw.length; i += 2) (headers[raw[i] ?? ''] ??= []).push(raw[i + 1] ?? '')
  return headers
}
