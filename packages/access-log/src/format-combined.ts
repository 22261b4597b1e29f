import { formatDuration } from './duration.ts'
import { tagsOf, type CapturedHeader, type Entry, type Parts } from './entry.ts'
import { escapeInBrackets, escapeWord } from './escape.ts'
import { statusText } from './phrase.ts'
import { formatSize } from './size.ts'

/**
 * An entry for people to read. Nothing in it can be taken for another part or another line.
 *
 * @example
 * // GET /users?page=2 200 OK 12.00ms - 127.0.0.1 (345 B) [HTTP/1.1] [user-agent: curl/8.5.0]
 */
export function formatCombined(entry: Entry, parts: Parts): string {
  let text = `${tagsOf(entry)}${escapeWord(entry.method)} ${escapeWord(entry.path)}`
  if (entry.query !== '') text += `?${escapeWord(entry.query)}`
  text += ` ${statusText(entry.status)} ${formatDuration(entry.durationNs)}ms`
  if (parts.logClientIp) text += ` - ${entry.clientAddress ?? '-'}`
  if (parts.logBytes) text += ` (${formatSize(entry.bytes)})`
  if (parts.logProtocol) text += ` [${entry.protocol}]`
  if (entry.requestHeaders.length > 0) text += headers(entry.requestHeaders)
  if (entry.responseHeaders.length > 0) text += headers(entry.responseHeaders)
  return entry.trace === undefined ? text : `${text} [trace_id: ${entry.trace.traceId}]`
}

function headers(captured: readonly CapturedHeader[]): string {
  let text = ''
  for (const { name, value } of captured) text += ` [${name}: ${escapeInBrackets(value)}]`
  return text
}
