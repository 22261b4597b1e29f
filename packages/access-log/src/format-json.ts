import type { CapturedHeader, Entry, Parts } from './entry.ts'
import { quoteJson } from './escape.ts'
import { phraseOf } from './phrase.ts'

/**
 * An entry as one compact JSON object: six keys that are always there, then what is switched on and known.
 *
 * @example
 * // {"method":"GET","path":"/users","status":200,"phrase":"OK","duration_ns":12000000,"bytes":345,"query":"page=2"}
 */
export function formatJson(entry: Entry, parts: Parts): string {
  let text = `{"method":${quoteJson(entry.method)},"path":${quoteJson(entry.path)},"status":${entry.status}`
  text += `,"phrase":"${phraseOf(entry.status)}","duration_ns":${entry.durationNs},"bytes":${entry.bytes}`
  if (entry.query !== '') text += `,"query":${quoteJson(entry.query)}`
  if (entry.clientAddress !== undefined) text += `,"client_ip":"${entry.clientAddress}"`
  if (parts.logProtocol) text += `,"protocol":"${entry.protocol}"`
  text += headers('request_headers', entry.requestHeaders) + headers('response_headers', entry.responseHeaders)
  if (entry.correlationId !== undefined) text += `,"correlation_id":${quoteJson(entry.correlationId)}`
  if (entry.isSlow) text += ',"slow":true'
  if (entry.isAborted) text += ',"aborted":true'
  if (entry.trace !== undefined) text += `,"trace_id":"${entry.trace.traceId}","parent_id":"${entry.trace.parentId}"`
  return `${text}}`
}

function headers(key: string, captured: readonly CapturedHeader[]): string {
  if (captured.length === 0) return ''
  let members = ''
  for (const { name, value } of captured) members += `${members === '' ? '' : ','}"${name}":${quoteJson(value)}`
  return `,"${key}":{${members}}`
}
