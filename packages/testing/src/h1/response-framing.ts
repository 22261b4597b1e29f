import type { TestField } from '../client.ts'
import { MalformedResponse } from '../response-error.ts'
import { fieldValue, isBodyless } from '../response-rules.ts'

/** What delimits the body of a response. */
export type ResponseFraming = 'none' | 'chunked' | 'close' | { readonly length: number }

/**
 * Finds what delimits the body (RFC 9112 §6.3).
 *
 * Stricter than a client has to be: both framing fields, a transfer coding other than chunked, or a body that ends
 * with the connection although `connection: close` was not said, are refused.
 *
 * @param fields Checked by `checkResponseHead`
 * @throws {MalformedResponse} naming the rule
 */
export function responseFraming(method: string, status: number, fields: readonly TestField[]): ResponseFraming {
  const coding = fieldValue(fields, 'transfer-encoding')
  const length = fieldValue(fields, 'content-length')
  if (coding !== undefined && length !== undefined) {
    throw new MalformedResponse('Both Transfer-Encoding and Content-Length')
  }
  if (coding !== undefined && coding !== 'chunked') throw new MalformedResponse(`Transfer-Encoding '${coding}'`)
  // RFC 9112 §6.1: a 204 has none; a 304 describes a response that would not be sent now.
  if (coding !== undefined && (status === 204 || status === 304)) {
    throw new MalformedResponse(`Transfer-Encoding on a ${status}`)
  }
  if (isBodyless(method, status)) return 'none'
  if (coding !== undefined) return 'chunked'
  if (length !== undefined) return { length: Number(length) }
  if (!closesConnection(fields)) throw new MalformedResponse('Neither a length, nor chunked, nor "connection: close"')
  return 'close'
}

/** Whether the response announces that it is the last of its connection. */
export function closesConnection(fields: readonly TestField[]): boolean {
  return fields
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(','))
    .some((option) => option.trim().toLowerCase() === 'close')
}
