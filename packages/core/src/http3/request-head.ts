import type { FieldList } from '@fw/types'
import { isFieldValue, isToken } from '../engine/fields/field-rules.ts'
import type { FieldLimits } from '../engine/semantics/field-limits.ts'
import { isConnectionField, ReceivedFields } from '../engine/semantics/received-fields.ts'
import { judgeRequestHead, type JudgedHead, type ReceivedHead } from '../engine/semantics/request-head.ts'
import { allowedTrailers } from '../engine/semantics/trailers.ts'
import { accept, ErrorCode, Http3Error } from './errors.ts'

/** Head of a valid request. */
export interface RequestHead extends JudgedHead {
  readonly method: string
  /** Value of `:protocol` in lower case; `undefined` except for an extended CONNECT. */
  readonly protocol: string | undefined
  /** Value of `:path`, or of `:authority` for CONNECT without `:protocol`. */
  readonly target: string
  /** Fields without pseudo-header fields, and with at most one `cookie` field. */
  readonly fields: FieldList
}

const PSEUDO_FIELDS: ReadonlySet<string> = new Set([':method', ':scheme', ':authority', ':path', ':protocol'])
const UPPER_CASE = /[A-Z]/

/**
 * Reads a decoded field section as a request head. Each pseudo-header field must occur at most once, before all others.
 *
 * @param allowsTunnels Whether the server has announced extended CONNECT (RFC 9220 §3)
 * @throws {Http3Error} MESSAGE_ERROR on the stream if the request is malformed
 * @throws {ProtocolError} with the status that `judgeRequestHead` returns
 * @see RFC 9114 §4.1.2 (malformed), §4.2 (fields), §4.3.1 (pseudo-header fields)
 */
export function readRequestHead(section: FieldList, limits: FieldLimits, allowsTunnels: boolean = false): RequestHead {
  const pseudo = new Map<string, string>()
  let at = 0
  for (; at < section.length && section[at]?.startsWith(':'); at += 2) {
    const name = section[at] ?? ''
    if (!PSEUDO_FIELDS.has(name)) throw malformed('an unknown pseudo-header field')
    if (pseudo.has(name)) throw malformed('a repeated pseudo-header field')
    pseudo.set(name, section[at + 1] ?? '')
  }
  const fields: string[] = []
  const message = new ReceivedFields()
  let cookieAt = -1
  for (; at < section.length; at += 2) {
    const name = section[at] ?? ''
    const value = section[at + 1] ?? ''
    checkReceivedField(name, value)
    message.add(name, value)
    if (name === 'cookie' && cookieAt >= 0) {
      // §4.2.1: clients split cookies for compression. Handlers expect one field.
      fields[cookieAt] = `${fields[cookieAt] ?? ''}; ${value}`
      continue
    }
    if (name === 'cookie') cookieAt = fields.length + 1
    fields.push(name, value)
  }
  const method = pseudo.get(':method') ?? ''
  const scheme = pseudo.get(':scheme')
  const authority = pseudo.get(':authority')
  const path = pseudo.get(':path')
  const protocol = pseudo.get(':protocol')
  const target = path ?? authority ?? ''
  const received: ReceivedHead = {
    version: '3',
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
  return { method, protocol: protocol?.toLowerCase(), target, fields, ...judged }
}

/**
 * Checks a decoded field section that contains request trailers.
 *
 * @returns The fields that are passed to handlers
 * @throws {Http3Error} MESSAGE_ERROR on the stream if a field is malformed
 * @see RFC 9114 §4.1, §4.3
 */
export function readTrailers(section: FieldList): FieldList {
  for (let at = 0; at < section.length; at += 2) checkReceivedField(section[at] ?? '', section[at + 1] ?? '')
  return allowedTrailers(section)
}

function checkReceivedField(name: string, value: string): void {
  if (name.startsWith(':')) throw malformed('a pseudo-header field out of place')
  if (!isToken(name) || UPPER_CASE.test(name)) throw malformed('a field name that is not a lowercase token')
  if (isConnectionField(name)) throw malformed('a field that belongs to a connection')
  if (!isFieldValue(value) || isSpace(value.charCodeAt(0)) || isSpace(value.charCodeAt(value.length - 1))) {
    throw malformed('an invalid field value')
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09
}

function malformed(what: string): Http3Error {
  return new Http3Error(ErrorCode.MESSAGE_ERROR, `Malformed request: ${what}`, 'stream')
}
