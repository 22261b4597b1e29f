import type { CapturedHeader, Entry, Parts } from '../entry/entry.ts'
import { textOf } from '../entry/utf8-text.ts'
import { phraseOf } from './units.ts'

/**
 * Returns an entry as named values for sinks such as `JsonSink`: the members of `formatJson`, in the same order. Each byte of a
 * value that is not UTF-8 becomes the character with that code.
 */
export function entryFields(entry: Entry, parts: Parts): Record<string, unknown> {
  const { query, clientAddress, requestHeaders, responseHeaders, correlationId, trace } = entry
  const fields: Record<string, unknown> = {
    method: shown(entry.method),
    path: shown(entry.path),
    status: entry.status,
    phrase: phraseOf(entry.status),
    duration_ns: entry.durationNs,
    bytes: entry.bytes,
  }
  if (query !== '') fields.query = shown(query)
  if (clientAddress !== undefined) fields.client_ip = clientAddress
  if (parts.logProtocol) fields.protocol = entry.protocol
  if (requestHeaders.length > 0) fields.request_headers = valuesOf(requestHeaders)
  if (responseHeaders.length > 0) fields.response_headers = valuesOf(responseHeaders)
  if (correlationId !== undefined) fields.correlation_id = correlationId
  if (entry.isSlow) fields.slow = true
  if (entry.isAborted) fields.aborted = true
  if (trace !== undefined) Object.assign(fields, { trace_id: trace.traceId, parent_id: trace.parentId })
  return fields
}

function valuesOf(captured: readonly CapturedHeader[]): Record<string, string> {
  return Object.fromEntries(captured.map(({ name, value }) => [name, shown(value)]))
}

function shown(bytes: string): string {
  return textOf(bytes) ?? bytes
}
