import type { ProtocolText } from '@fw/types'
import { formatDuration, byStatus, phraseOf, formatSize } from './units.ts'
import { tagsOf, type CapturedHeader, type Entry, type Parts } from '../entry/entry.ts'
import { escapeInBrackets, escapeWord } from './escape.ts'

/**
 * Formats an entry for human readers. No value can be mistaken for another part or line.
 *
 * @example
 * // GET /users?page=2 200 OK 12.00ms - 127.0.0.1 (345 B) [HTTP/1.1] [user-agent: curl/8.5.0]
 */
export function formatCombined(entry: Entry, parts: Parts): string {
  const { query } = entry
  let text = `${escapeWord(entry.method)} ${escapeWord(entry.path)}`
  if (entry.isSlow || entry.isAborted) text = tagsOf(entry) + text
  if (query !== '') text += `?${escapeWord(query)}`
  text += statusAndPhrase(entry.status) + formatDuration(entry.durationNs)
  return text + endOf(entry, parts) + bracketed(entry)
}

const statusAndPhrase = byStatus((status) => ` ${status} ${phraseOf(status) || '-'} `)

/** Caches the text after the duration, because consecutive entries usually share it. */
let end = ''
let endParts: Parts | undefined
let endAddress: string | undefined
let endBytes = 0
let endProtocol: ProtocolText | '-' = '-'

function endOf({ clientAddress, bytes, protocol }: Entry, parts: Parts): string {
  if (parts !== endParts || clientAddress !== endAddress || bytes !== endBytes || protocol !== endProtocol) {
    const client = parts.logClientIp ? ` - ${clientAddress ?? '-'}` : ''
    const size = parts.logBytes ? ` (${formatSize(bytes)})` : ''
    end = `ms${client}${size}${parts.logProtocol ? ` [${protocol}]` : ''}`
    endParts = parts
    endAddress = clientAddress
    endBytes = bytes
    endProtocol = protocol
  }
  return end
}

/** Formats the logged header fields and the trace. Most access logs include neither. */
function bracketed({ requestHeaders, responseHeaders, trace }: Entry): string {
  let text = ''
  if (requestHeaders.length > 0) text += headers(requestHeaders)
  if (responseHeaders.length > 0) text += headers(responseHeaders)
  return trace === undefined ? text : `${text} [trace_id: ${trace.traceId}]`
}

function headers(captured: readonly CapturedHeader[]): string {
  let text = ''
  for (const { name, value } of captured) text += ` [${name}: ${escapeInBrackets(value)}]`
  return text
}
