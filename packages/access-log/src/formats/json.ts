import type { CapturedHeader, Entry, Parts } from '../entry/entry.ts'
import { escapeInJson } from './escape.ts'
import { byStatus, phraseOf } from './units.ts'

/**
 * Formats an entry as one compact JSON object: six members that are always present, then those that are enabled and known.
 *
 * @example
 * // {"method":"GET","path":"/users","status":200,"phrase":"OK","duration_ns":12000000,"bytes":345,"query":"page=2"}
 */
// docs/decisions/0042
export function formatJson(entry: Entry, parts: Parts): string {
  const { query } = entry
  let text = `{"method":"${escapeInJson(entry.method)}","path":"${escapeInJson(entry.path)}`
  text += `${statusAndPhrase(entry.status)}${entry.durationNs},"bytes":${entry.bytes}`
  if (query !== '') text += `,"query":"${escapeInJson(query)}"`
  return text + senderOf(entry.clientAddress, parts.logProtocol ? entry.protocol : '') + rareMembers(entry)
}

const statusAndPhrase = byStatus((status) => `","status":${status},"phrase":"${phraseOf(status)}","duration_ns":`)

/** Caches the members about the client, because consecutive entries usually share them. */
let sender = ''
let senderAddress: string | undefined
let senderProtocol = ''

function senderOf(address: string | undefined, protocol: string): string {
  if (address !== senderAddress || protocol !== senderProtocol) {
    sender = address === undefined ? '' : `,"client_ip":"${address}"`
    if (protocol !== '') sender += `,"protocol":"${protocol}"`
    senderAddress = address
    senderProtocol = protocol
  }
  return sender
}

/** Returns the members that only a few entries have, and the end of the object. */
function rareMembers({ requestHeaders, responseHeaders, correlationId, isSlow, isAborted, trace }: Entry): string {
  let text = headers('request_headers', requestHeaders) + headers('response_headers', responseHeaders)
  if (correlationId !== undefined) text += `,"correlation_id":"${escapeInJson(correlationId)}"`
  if (isSlow) text += ',"slow":true'
  if (isAborted) text += ',"aborted":true'
  if (trace !== undefined) text += `,"trace_id":"${trace.traceId}","parent_id":"${trace.parentId}"`
  return `${text}}`
}

function headers(key: string, captured: readonly CapturedHeader[]): string {
  if (captured.length === 0) return ''
  let members = ''
  for (const { name, value } of captured) members += `${members === '' ? '' : ','}"${name}":"${escapeInJson(value)}"`
  return `,"${key}":{${members}}`
}
