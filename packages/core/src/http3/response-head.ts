import type { FieldList } from '@fw/types'
import { httpDate } from '../engine/fields/http-date.ts'
import type { ResponseHead } from '../engine/exchange/response-head.ts'
import { encodeFrame, frameHeaderLength, FrameType, writeFrameHeader } from './frames.ts'
import { encodeFieldSection } from './qpack/encoder.ts'

/** Encodes a final response head as a HEADERS frame (RFC 9114 §4.3.2). */
export function encodeResponseHead(status: number, head: ResponseHead): Buffer {
  return encodeFrame(FrameType.HEADERS, encodeResponseSection(status, head))
}

/**
 * Encodes a response head and its body as a HEADERS and a DATA frame in one buffer. Each write to a stream calls into
 * QUIC, so one buffer is faster than two.
 */
export function encodeResponse(status: number, head: ResponseHead, body: Uint8Array): Buffer {
  const section = encodeResponseSection(status, head)
  const bytes =
    frameHeaderLength(FrameType.HEADERS, section.byteLength) +
    section.byteLength +
    frameHeaderLength(FrameType.DATA, body.byteLength) +
    body.byteLength
  const frames = Buffer.allocUnsafe(bytes)
  const sectionAt = writeFrameHeader(frames, FrameType.HEADERS, section.byteLength, 0)
  frames.set(section, sectionAt)
  const bodyAt = writeFrameHeader(frames, FrameType.DATA, body.byteLength, sectionAt + section.byteLength)
  frames.set(body, bodyAt)
  return frames
}

function encodeResponseSection(status: number, head: ResponseHead): Buffer {
  const fields = [':status', String(status), ...inLowerCase(head.fields)]
  if (head.contentLength !== undefined) fields.push('content-length', String(head.contentLength))
  if (!head.hasDate) fields.push('date', httpDate())
  return encodeFieldSection(fields)
}

/** Encodes an informational response as a HEADERS frame (RFC 9114 §4.1). */
export function encodeInformational(status: number, fields: FieldList): Buffer {
  return encodeHeaders([':status', String(status), ...inLowerCase(fields)])
}

/** Encodes trailers as a HEADERS frame. */
export function encodeTrailers(fields: FieldList): Buffer {
  return encodeHeaders(inLowerCase(fields))
}

function encodeHeaders(fields: FieldList): Buffer {
  return encodeFrame(FrameType.HEADERS, encodeFieldSection(fields))
}

/** Returns the fields with names in lower case. RFC 9114 §4.2: uppercase names make the response malformed. */
function inLowerCase(fields: FieldList): FieldList {
  return fields.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : text))
}
