import type { FieldList } from '@fw/types'
import { httpDate } from '../engine/http-date.ts'
import type { ResponseHead } from '../engine/response-head.ts'

/**
 * The field section of a final answer in the order of the wire, pseudo-header field first.
 *
 * A list, as `node:http2` takes it without making an object of it, and sends fields of one name in their order.
 *
 * @param altSvc Value of `alt-svc`, empty for none
 * @see RFC 9113 §8.3.2
 */
export function answerFields(status: number, head: ResponseHead, altSvc: string): string[] {
  const section = [':status', String(status)]
  const { fields, contentLength } = head
  for (let i = 0; i < fields.length; i += 2) section.push(fields[i] ?? '', fields[i + 1] ?? '')
  if (!head.hasDate) section.push('date', httpDate())
  if (altSvc !== '') section.push('alt-svc', altSvc)
  if (contentLength !== undefined) section.push('content-length', String(contentLength))
  return section
}

/** Fields as an object, which `node:http2` wants for informational answers and trailers. */
export function fieldsObject(fields: FieldList): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] ?? ''
    const value = fields[i + 1] ?? ''
    const before = headers[name]
    if (before === undefined) headers[name] = value
    else headers[name] = Array.isArray(before) ? [...before, value] : [before, value]
  }
  return headers
}
