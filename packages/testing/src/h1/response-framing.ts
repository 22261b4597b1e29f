import type { TestField } from '../client.ts'
import { MalformedResponse } from '../response-error.ts'
import { fieldValue, isBodyless } from '../response-rules.ts'

/** Framing of a response body: no body, chunked coding, the end of the connection, or a length in bytes. */
export type ResponseFraming = 'none' | 'chunked' | 'close' | { readonly length: number }

/**
 * Returns the framing of the body (RFC 9112 §6.3).
 *
 * The check is stricter than the RFC requires of a client. Rejects a response with both framing fields, a transfer
 * coding other than chunked, and a body that ends with the connection but has no `connection: close`.
 *
 * @param fields Checked by `checkResponseHead`
 * @throws {MalformedResponse} with the violated rule
 */
export function responseFraming(method: string, status: number, fields: readonly TestField[]): ResponseFraming {
  const coding = fieldValue(fields, 'transfer-encoding')
  const length = fieldValue(fields, 'content-length')
  if (coding !== undefined && length !== undefined) {
    throw new MalformedResponse('Both Transfer-Encoding and Content-Length')
  }
  if (coding !== undefined && coding !== 'chunked') throw new MalformedResponse(`Transfer-Encoding '${coding}'`)
  // RFC 9112 §6.1 forbids the field in a 204. A 304 may contain it, but no server under test sends it.
  if (coding !== undefined && (status === 204 || status === 304)) {
    throw new MalformedResponse(`Transfer-Encoding in a ${status} response`)
  }
  if (isBodyless(method, status)) return 'none'
  if (coding !== undefined) return 'chunked'
  if (length !== undefined) return { length: Number(length) }
  if (!closesConnection(fields))
    throw new MalformedResponse('The response has no Content-Length, chunked coding or "connection: close"')
  return 'close'
}

/** Reports whether the response has the `close` connection option. */
export function closesConnection(fields: readonly TestField[]): boolean {
  return fields
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(','))
    .some((option) => option.trim().toLowerCase() === 'close')
}
