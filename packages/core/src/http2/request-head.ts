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

/** Head of a valid request. */
export interface Http2RequestHead {
  readonly method: string
  /** Value of `:protocol` in lower case; `undefined` except for an extended CONNECT. */
  readonly protocol: string | undefined
  /** Value of `:path`, or of `:authority` for CONNECT without `:protocol`. */
  readonly target: string
  readonly authority: string
  readonly headers: RequestHeaders
  /** Value of `content-length`, in bytes; `undefined` if the field is absent. */
  readonly contentLength: number | undefined
  readonly expectsContinue: boolean
  /** Value of the `priority` field (RFC 9218); `undefined` if the field is absent. */
  readonly priority: Priority | undefined
  /** Size of the field section, in bytes (RFC 9113 §6.5.2). */
  readonly bytes: number
}

export type Http2HeadLimits = Pick<Limits, 'maxRequestLineBytes' | 'maxFields'>

/**
 * Reads a field section as a request head. Each pseudo-header field must occur at most once, before all other fields.
 *
 * @param allowsTunnels Whether the server has announced extended CONNECT (RFC 8441 §3)
 * @throws {StreamError} PROTOCOL_ERROR if the request is malformed
 * @throws {ProtocolError} 431 if the section is too large, or the status that `judgeRequestHead` returns
 * @see RFC 9113 §8.1.1 (malformed), §8.2 (fields), §8.3.1 (pseudo-header fields)
 */
export function readRequestHead(
  section: FieldSection,
  limits: Http2HeadLimits,
  allowsTunnels: boolean = false,
): Http2RequestHead {
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
  const { method = '', scheme, authority, path, protocol } = pseudo
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
    protocol,
    allowsProtocol: allowsTunnels,
    contentLength: message.contentLength,
    isChunked: false,
    te: message.te,
    expect: message.expect,
    fieldCount: message.count,
  }
  const judged = accept(judgeRequestHead(received, limits))
  return {
    method,
    protocol: protocol?.toLowerCase(),
    target,
    authority: judged.authority,
    headers: new FieldListHeaders(fields),
    contentLength: judged.contentLength,
    expectsContinue: judged.expectsContinue,
    priority: priority === undefined ? undefined : parsePriority(priority),
    bytes: section.listBytes,
  }
}

/**
 * Checks a field section that contains request trailers.
 *
 * @returns The fields that are passed to handlers
 * @throws {StreamError} PROTOCOL_ERROR if the request is malformed
 * @throws {ProtocolError} 431 if there are too many fields or bytes
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

/** Returns the method and target of a refused request; `undefined` for a missing pseudo-header field. */
export function refusedRequestLine(fields: FieldList): { method: string | undefined; target: string | undefined } {
  const method = pseudoField(fields, ':method')
  return {
    method,
    target: pseudoField(fields, ':path') ?? (method === 'CONNECT' ? pseudoField(fields, ':authority') : undefined),
  }
}

/** Collects the pseudo-header fields of a request and rejects repeated ones (RFC 9113 §8.3.1). */
class PseudoFields {
  method: string | undefined = undefined
  scheme: string | undefined = undefined
  authority: string | undefined = undefined
  path: string | undefined = undefined
  protocol: string | undefined = undefined

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
      case ':protocol':
        if (this.protocol !== undefined) throw malformed(':protocol twice')
        this.protocol = value
        return
      default:
        throw malformed('an unknown pseudo-header field')
    }
  }
}

/** Checks the name of a well-formed field that follows the pseudo-header fields. */
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
