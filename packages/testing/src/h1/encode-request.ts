import type { ClientRequest, TestField } from '../client.ts'
import { requestMethod, wholeBody } from '../request-body.ts'

/** Encoded header section of a request, and whether its body is chunked. */
export interface EncodedRequest {
  readonly head: Uint8Array
  readonly isChunked: boolean
}

/**
 * Encodes the header section of a request. Adds `host` and the framing field unless the request has them.
 *
 * Does not validate the request, so that tests can send invalid ones.
 */
export function encodeRequest(request: ClientRequest, authority: string): EncodedRequest {
  const given = request.headers ?? []
  const has = (wanted: string): boolean => given.some(([name]) => name.toLowerCase() === wanted)
  const fields: TestField[] = has('host') ? [...given] : [['host', authority], ...given]
  const whole = wholeBody(request.body)
  const isChunked =
    has('transfer-encoding') || (!has('content-length') && (whole === undefined || (request.trailers ?? []).length > 0))
  if (isChunked && !has('transfer-encoding')) fields.push(['transfer-encoding', 'chunked'])
  if (!isChunked && request.body !== undefined && !has('content-length')) {
    fields.push(['content-length', String(whole?.length)])
  }
  const line = `${requestMethod(request)} ${request.path} HTTP/1.1\r\n`
  return { head: Buffer.from(`${line}${encodeFields(fields)}\r\n`, 'latin1'), isChunked }
}

/** Encodes one chunk. Returns no bytes for an empty slice, because an empty chunk ends the body. */
export function encodeChunk(slice: Uint8Array): Uint8Array {
  if (slice.length === 0) return slice
  return Buffer.concat([Buffer.from(`${slice.length.toString(16)}\r\n`), slice, Buffer.from('\r\n')])
}

/** Encodes the last chunk and the trailers. */
export function encodeLastChunk(trailers: readonly TestField[]): Uint8Array {
  return Buffer.from(`0\r\n${encodeFields(trailers)}\r\n`, 'latin1')
}

function encodeFields(fields: readonly TestField[]): string {
  return fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
}
