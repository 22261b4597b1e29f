import type { FieldList, RequestHeaders } from '@fw/types'
import { ProtocolError } from '../engine/errors.ts'
import { FieldListHeaders } from '../engine/fields/field-list-headers.ts'
import { parsePriority, type Priority } from '../engine/fields/priority.ts'
import { isConnectionField, ReceivedFields } from '../engine/semantics/received-fields.ts'
import { judgeRequestHead, type ReceivedHead } from '../engine/semantics/request-head.ts'
import { allowedTrailers } from '../engine/semantics/trailers.ts'
import type { Limits } from '../options/limits.ts'
import { accept, ErrorCode, StreamError } from './errors.ts'
import type { FieldSection } from './hpack/field.ts'

/** What a valid request says before its body. */
export interface Http2RequestHead {
  readonly method: string
  /** `:path`; for CONNECT the authority. */
  readonly target: string
  readonly authority: string
  readonly headers: RequestHeaders
  /** Bytes announced, or `undefined`. */
  readonly contentLength: number | undefined
  readonly expectsContinue: boolean
  /** By the field of RFC 9218, `undefined` without. */
  readonly priority: Priority | undefined
}

export type Http2HeadLimits = Pick<Limits, 'maxRequestLineBytes' | 'maxFields'>

/**
 * Reads a field section as the head of a request: pseudo-header fields first, each of them once, then fields.
 *
 * @throws {StreamError} PROTOCOL_ERROR if the request is malformed
 * @throws {ProtocolError} 431 for too large fields, else as `judgeRequestHead` says
 * @see RFC 9113 §8.1.1 (malformed), §8.2 (fields), §8.3.1 (pseudo-header fields)
 */
export function readRequestHead(section: FieldSection, limits: Http2HeadLimits): Http2RequestHead {
  const { fields } = section
  if (!section.isWellFormed) throw malformed('an invalid field')
  if (section.isTooLarge) throw new ProtocolError(431, 'Request head too large', 'stream')
  const pseudo = new PseudoFields()
  let at = 0
  for (; at < fields.length && isPseudo(fields[at] ?? ''); at += 2) pseudo.set(fields[at] ?? '', fields[at + 1] ?? '')
  const message = new ReceivedFields()
  for (; at < fields.length; at += 2) {
    const name = fields[at] ?? ''
    checkName(name)
    message.add(name, fields[at + 1] ?? '')
  }
  const { method = '', scheme, authority, path } = pseudo
  const { priority } = message
  const target = path ?? authority ?? ''
  const received: ReceivedHead = {
    version: '2',
    method,
    target,
    scheme,
    authority,
    host: message.host,
    path,
    contentLength: message.contentLength,
    isChunked: false,
    te: message.te,
    expect: message.expect,
    fieldCount: message.count,
  }
  const judged = accept(judgeRequestHead(received, limits))
  return {
    method,
    target,
    authority: judged.authority,
    headers: new FieldListHeaders(fields),
    contentLength: judged.contentLength,
    expectsContinue: judged.expectsContinue,
    priority: priority === undefined ? undefined : parsePriority(priority),
  }
}

/**
 * Checks a field section as the trailers of a request.
 *
 * @returns Those that a handler may see
 * @throws {StreamError} PROTOCOL_ERROR if the request is malformed
 * @throws {ProtocolError} 431 for too many or too large fields
 * @see RFC 9113 §8.1
 */
export function http2Trailers(
  { fields, listBytes, isTooLarge, isWellFormed }: FieldSection,
  { maxTrailerBytes, maxTrailerFields }: Pick<Limits, 'maxTrailerBytes' | 'maxTrailerFields'>,
): FieldList {
  if (!isWellFormed) throw malformed('an invalid field')
  for (let at = 0; at < fields.length; at += 2) checkName(fields[at] ?? '')
  if (isTooLarge || listBytes > maxTrailerBytes || fields.length / 2 > maxTrailerFields) {
    throw new ProtocolError(431, 'Trailers too large', 'stream')
  }
  return allowedTrailers(fields)
}

/** Method and target of a request that is refused, as far as they are there. */
export function refusedRequestLine(fields: FieldList): { method: string | undefined; target: string | undefined } {
  const method = pseudoField(fields, ':method')
  return { method, target: pseudoField(fields, method === 'CONNECT' ? ':authority' : ':path') }
}

/** The pseudo-header fields of a request (RFC 9113 §8.3.1), each of them once. */
class PseudoFields {
  method: string | undefined = undefined
  scheme: string | undefined = undefined
  authority: string | undefined = undefined
  path: string | undefined = undefined

  set(name: string, value: string): void {
    switch (name) {
      case ':method':
        if (this.method !== undefined) throw malformed(':method twice')
        this.method = value
        return
      case ':scheme':
        if (this.scheme !== undefined) throw malformed(':scheme twice')
        this.scheme = value
        return
      case ':authority':
        if (this.authority !== undefined) throw malformed(':authority twice')
        this.authority = value
        return
      case ':path':
        if (this.path !== undefined) throw malformed(':path twice')
        this.path = value
        return
      default:
        throw malformed('an unknown pseudo-header field')
    }
  }
}

/** Of a field that is well-formed and none of the pseudo-header fields at the start of a head. */
function checkName(name: string): void {
  if (isPseudo(name)) throw malformed('a pseudo-header field out of place')
  if (isConnectionField(name)) throw malformed('a field that belongs to a connection')
}

function isPseudo(name: string): boolean {
  return name.charCodeAt(0) === 0x3a
}

function pseudoField(fields: FieldList, name: string): string | undefined {
  for (let i = 0; i < fields.length && isPseudo(fields[i] ?? ''); i += 2) {
    if (fields[i] === name) return fields[i + 1]
  }
  return undefined
}

function malformed(what: string): StreamError {
  return new StreamError(ErrorCode.PROTOCOL_ERROR, `Malformed request: ${what}`)
}
