import { formatDuration } from './units.ts'
import { tagsOf, type Entry, type Parts } from '../entry/entry.ts'
import { escapeWord } from './escape.ts'

/**
 * Formats an entry like the Common Log Format. A field that is not logged is written as `-`, so that the others keep their
 * positions.
 *
 * @example
 * // 127.0.0.1 - "GET /users?page=2 HTTP/1.1" 200 345 (12.00ms)
 */
export function formatCommon(entry: Entry, parts: Parts): string {
  let text = `${tagsOf(entry)}${entry.clientAddress ?? '-'} - "${escapeWord(entry.method)} ${escapeWord(entry.path)}`
  if (entry.query !== '') text += `?${escapeWord(entry.query)}`
  if (parts.logProtocol) text += ` ${entry.protocol}`
  const bytes = parts.logBytes ? entry.bytes : '-'
  return `${text}" ${entry.status} ${bytes} (${formatDuration(entry.durationNs)}ms)`
}
