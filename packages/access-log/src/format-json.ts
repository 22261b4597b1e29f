import type { CapturedHeader, Entry, Parts } from './entry.ts'
import { escapeInJson } from './escape.ts'
import { byStatus, phraseOf } from './phrase.ts'

/**
 * An entry as one compact JSON object: six keys that are always there, then what is switched on and known.
 *
 * @example
 * // {"method":"GET","path":"/users","status":200,"phrase":"OK","duration_ns":12000000,"bytes":345,"query":"page=2"}
 */
export function formatJson(entry: Entry, parts: Parts): string {
  const request = `{"method":"${escapeInJson(entry.method)}","path":"${escapeInJson(entry.path)}"`
  const answer = `${statusAndPhrase(entry.status)}${entry.durationNs},"bytes":${entry.bytes}`
  const query = entry.query === '' ? '' : `,"query":"${escapeInJson(entry.query)}"`
  const client = entry.clientAddress === undefined ? '' : `,"client_ip":"${entry.clientAddress}"`
  const protocol = parts.logProtocol ? `,"protocol":"${entry.protocol}"` : ''
  return `${request}${answer}${query}${client}${protocol}${rareMembers(entry)}}`
}

const statusAndPhrase = byStatus((status) => `,"status":${status},"phrase":"${phraseOf(status)}","duration_ns":`)

/** What few logs ask for or few requests have. */
function rareMembers(entry: Entry): string {
  let text = headers('request_headers', entry.requestHeaders) + headers('response_headers', entry.responseHeaders)
  if (entry.correlationId !== undefined) text += `,"correlation_id":"${escapeInJson(entry.correlationId)}"`
  if (entry.isSlow) text += ',"slow":true'
  if (entry.isAborted) text += ',"aborted":true'
  if (entry.trace !== undefined) text += `,"trace_id":"${entry.trace.traceId}","parent_id":"${entry.trace.parentId}"`
  return text
}

function headers(key: string, captured: readonly CapturedHeader[]): string {
  if (captured.length === 0) return ''
  let members = ''
  for (const { name, value } of captured) members += `${members === '' ? '' : ','}"${name}":"${escapeInJson(value)}"`
  return `,"${key}":{${members}}`
}
