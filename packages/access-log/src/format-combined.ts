import { formatDuration } from './duration.ts'
import { tagsOf, type CapturedHeader, type Entry, type Parts } from './entry.ts'
import { escapeInBrackets, escapeWord } from './escape.ts'
import { byStatus, phraseOf } from './phrase.ts'
import { formatSize } from './size.ts'

/**
 * An entry for people to read. Nothing in it can be taken for another part or another line.
 *
 * @example
 * // GET /users?page=2 200 OK 12.00ms - 127.0.0.1 (345 B) [HTTP/1.1] [user-agent: curl/8.5.0]
 */
export function formatCombined(entry: Entry, parts: Parts): string {
  const query = entry.query === '' ? '' : `?${escapeWord(entry.query)}`
  const client = parts.logClientIp ? ` - ${entry.clientAddress ?? '-'}` : ''
  const size = parts.logBytes ? ` (${formatSize(entry.bytes)})` : ''
  const protocol = parts.logProtocol ? ` [${entry.protocol}]` : ''
  const request = `${tagsOf(entry)}${escapeWord(entry.method)} ${escapeWord(entry.path)}${query}`
  const answer = `${statusAndPhrase(entry.status)}${formatDuration(entry.durationNs)}ms`
  return `${request}${answer}${client}${size}${protocol}${bracketed(entry)}`
}

const statusAndPhrase = byStatus((status) => ` ${status} ${phraseOf(status) || '-'} `)

/** What few logs ask for. */
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
