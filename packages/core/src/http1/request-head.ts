import type { Limits } from '../options/limits.ts'
import { ProtocolError } from '../engine/errors.ts'
import { judgeFieldCount, judgeRequestLine } from '../engine/semantics/field-limits.ts'
import { judgeRequestHead, type ReceivedHead } from '../engine/semantics/request-head.ts'
import type { Verdict } from '../engine/semantics/verdict.ts'
import { requestFraming, type Framing } from './framing.ts'
import { Http1Headers, replaceHost } from './headers.ts'
import { readMessageFields, type MessageFields } from './message-fields.ts'
import { splitTarget } from '../engine/semantics/target-parts.ts'

/** The head of an HTTP/1.x request. */
export interface RequestHead {
  /** The whole head as received, with its final empty line, decoded as Latin-1. */
  readonly text: string
  readonly method: string
  readonly target: string
  /** The requested host and port; empty for an HTTP/1.0 request without `Host`. */
  readonly authority: string
  readonly fields: MessageFields
  readonly framing: Framing
  /** Whether the client waits for 100 (Continue) before it sends the body. */
  readonly expectsContinue: boolean
  /** Index of the first byte after the head. */
  readonly end: number
}

/** The limits of a request head. */
export type HeadLimits = Pick<Limits, 'maxHeadBytes' | 'maxRequestLineBytes' | 'maxFields'>

/** Maximum number of empty lines to ignore before a request (RFC 9112 §2.2 recommends at least one). */
const MAX_EMPTY_LINES = 2

/**
 * Size, in bytes, that nearly every head fits in. Decoding starts with this many bytes, because pipelined requests can
 * follow the head.
 */
const USUAL_HEAD_BYTES = 1024

const SLASH = 0x2f
const ZERO = 0x30
const VERSION_TEXT = /^HTTP\/\d\.\d$/
/**
 * Matches the field lines of a head. Allows only CRLF as a line end, no whitespace before the colon and no folded
 * lines. RFC 9112 allows a server to repair such messages, but proxies repair them differently.
 */
const FIELD_LINES = /^(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)*$/
/** Matches bytes that are invalid in any line of a head, including a CR or LF outside CRLF. */
const NEVER_IN_HEAD = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r[^\n]|(?:^|[^\r])\n/

/**
 * Parses a request head.
 *
 * @param bytes All bytes received since the start of the head
 * @param previous The previous head of the connection, parsed with the same limits. Parts that the client repeats, as
 *   most do, are not parsed again
 * @param seenBytes Number of bytes that an earlier call found incomplete. They are not searched again, which matters
 *   for a head that arrives byte by byte
 * @returns `undefined` while the head is incomplete but can still become valid
 * @throws {ProtocolError} 400 for a malformed head. Limits: 414 for a long request line, 431 for a large head or too
 *   many fields. Unsupported: 417 for an expectation, 501 for a transfer coding, 505 for a version
 * @see RFC 9112 §2.2, §3, §5
 */
// docs/decisions/0004
export function readRequestHead(
  bytes: Buffer,
  limits: HeadLimits,
  previous?: RequestHead,
  seenBytes = 0,
): RequestHead | undefined {
  const begin = skipEmptyLines(bytes)
  if (begin >= bytes.length) return undefined
  const again = seenBytes === 0 ? previous : undefined
  if (again !== undefined && isAgain(bytes, begin, again)) return moved(again, begin)
  // The CRLF CRLF that ends the head can be split after any of its bytes.
  const from = Math.max(begin, seenBytes - 3)
  // Reading one byte more than allowed is enough to detect that the limit is exceeded.
  const most = Math.min(bytes.length, begin + limits.maxHeadBytes + 1)
  let received = bytes.toString('latin1', from, Math.min(most, from + USUAL_HEAD_BYTES))
  if (received === again?.text) return moved(again, begin)
  let endOfLines = findEmptyLine(received, limits)
  if (endOfLines === undefined && from + USUAL_HEAD_BYTES < most) {
    received = bytes.toString('latin1', from, most)
    endOfLines = findEmptyLine(received, limits)
  }
  if (endOfLines === undefined) return checkUnfinished(bytes, begin, seenBytes, limits)

  const end = from + endOfLines
  if (end - begin > limits.maxHeadBytes) throw new ProtocolError(431, 'Request head too large')
  // A substring keeps its whole string in memory, so decode the head again without the bytes after it.
  const isWhole = from === begin && endOfLines === received.length
  const text = isWhole ? received : bytes.toString('latin1', begin, end)
  // Also count the lines that earlier calls have searched.
  if (from > begin) findEmptyLine(text, limits)
  const lineEnd = text.indexOf('\r\n')
  accept(judgeRequestLine(lineEnd, limits))
  const targetEnd = findTargetEnd(text, lineEnd)
  const methodEnd = text.indexOf(' ')
  const method = text.slice(0, methodEnd)
  const target = text.slice(methodEnd + 1, targetEnd)
  const minor = text.charCodeAt(lineEnd - 1) === ZERO ? 0 : 1
  const block = text.slice(lineEnd + 2, -2)
  let fields = previous?.fields
  if (fields === undefined || fields.minor !== minor || fields.headers.block !== block) {
    if (!FIELD_LINES.test(block)) throw new ProtocolError(400, 'Malformed header field')
    fields = readMessageFields(minor, block)
  }
  const { host } = fields
  const judged = accept(judgeRequestHead(receivedHead(method, target, fields), limits))
  const { authority } = judged
  const framing = requestFraming(minor, fields.transferEncoding, judged.contentLength)
  return {
    text,
    method,
    target,
    authority,
    // RFC 9112 §3.2.2: the authority of the target replaces Host. A handler must not see two different values.
    fields: host === undefined || host === authority ? fields : withHost(fields, authority),
    framing,
    expectsContinue: judged.expectsContinue && framing.kind !== 'none',
    end,
  }
}

function receivedHead(method: string, target: string, fields: MessageFields): ReceivedHead {
  // Nearly every target is a path, which needs no splitting.
  const parts = target.charCodeAt(0) === SLASH && method !== 'CONNECT' ? undefined : splitTarget(method, target)
  return {
    version: fields.minor === 0 ? '1.0' : '1.1',
    method,
    target,
    scheme: parts?.scheme,
    authority: parts?.authority,
    host: fields.host,
    path: parts === undefined ? target : parts.path,
    protocol: undefined,
    allowsProtocol: false,
    contentLength: fields.contentLength,
    isChunked: fields.transferEncoding !== undefined,
    te: undefined,
    expect: fields.expect,
    fieldCount: fields.count,
  }
}

/**
 * Returns the value that a verdict accepts.
 *
 * @throws {ProtocolError} 400 for a malformed message (RFC 9112 §3, §6.3); the status of the verdict for a refused one
 */
function accept<T>(verdict: Verdict<T>): T {
  if (verdict.kind === 'ok') return verdict.value
  if (verdict.kind === 'malformed') throw new ProtocolError(400, verdict.reason)
  throw new ProtocolError(verdict.status, verdict.reason)
}

function withHost(fields: MessageFields, host: string): MessageFields {
  return { ...fields, host, headers: new Http1Headers(replaceHost(fields.headers.block, host)) }
}

/**
 * Reports whether the bytes at `begin` repeat the previous head. Checks only a long head, or one that other bytes
 * follow.
 */
function isAgain(bytes: Buffer, begin: number, { text }: RequestHead): boolean {
  const end = begin + text.length
  if (end > bytes.length || (end === bytes.length && text.length <= USUAL_HEAD_BYTES)) return false
  return bytes.toString('latin1', begin, end) === text
}

/** Returns a copy of the head for the same bytes at a different position. */
function moved(head: RequestHead, begin: number): RequestHead {
  const end = begin + head.text.length
  return end === head.end ? head : { ...head, end }
}

/**
 * Finds the empty line that ends a head. Visits each line to count the lines.
 *
 * @returns The index after the empty line; `undefined` if it has not arrived yet
 * @throws {ProtocolError} 431 if there are too many lines before it
 */
function findEmptyLine(text: string, limits: HeadLimits): number | undefined {
  let at = 0
  for (let lines = 0; ; lines++) {
    const end = text.indexOf('\r\n', at)
    if (end === -1) return undefined
    if (end === at && lines > 0) return end + 2
    // The first line is the request line, or the rest of a line that an earlier call has read.
    if (lines > limits.maxFields) accept(judgeFieldCount(lines, limits))
    at = end + 2
  }
}

/** Rejects an incomplete head that can no longer become valid. */
function checkUnfinished(bytes: Buffer, begin: number, seenBytes: number, limits: HeadLimits): undefined {
  // Start one byte earlier, to check whether a CR precedes the first new LF.
  const from = Math.max(begin, seenBytes - 1)
  const added = bytes.toString('latin1', from, begin + limits.maxHeadBytes + 1)
  if (from > begin && added.includes('\n')) {
    findEmptyLine(bytes.toString('latin1', begin, begin + limits.maxHeadBytes + 1), limits)
  }
  const lineEnd = bytes.indexOf('\r\n', begin, 'latin1')
  const lineBytes = (lineEnd === -1 ? bytes.length : lineEnd) - begin
  accept(judgeRequestLine(lineBytes, limits))
  if (bytes.length - begin > limits.maxHeadBytes) throw new ProtocolError(431, 'Request head too large')
  if (NEVER_IN_HEAD.test(from > begin && added.startsWith('\n') ? added.slice(1) : added)) {
    throw new ProtocolError(400, 'Malformed request head')
  }
  if (lineEnd === -1 || lineEnd + 2 <= seenBytes) return undefined
  findTargetEnd(bytes.toString('latin1', begin, lineEnd), lineEnd - begin)
  return undefined
}

/**
 * Returns the index of the end of the target in a request line. Requires one space between method, target and version,
 * but does not check the method and the target.
 *
 * @throws {ProtocolError} 400 if the syntax is wrong, 505 if the version is not HTTP/1.0 or HTTP/1.1
 */
function findTargetEnd(text: string, lineEnd: number): number {
  const methodEnd = text.indexOf(' ')
  const targetEnd = text.indexOf(' ', methodEnd + 1)
  const versionAt = targetEnd + 1
  if (methodEnd > 0 && targetEnd > methodEnd + 1 && lineEnd - versionAt === 'HTTP/1.1'.length) {
    if (text.startsWith('HTTP/1.1', versionAt) || text.startsWith('HTTP/1.0', versionAt)) return targetEnd
    if (VERSION_TEXT.test(text.slice(versionAt, lineEnd))) throw new ProtocolError(505, 'Unsupported HTTP version')
  }
  throw new ProtocolError(400, 'Malformed request line')
}

/** Reports whether bytes that `readRequestHead` accepted contain more than empty lines. */
export function hasHeadBegun(bytes: Buffer): boolean {
  return skipEmptyLines(bytes) < bytes.length
}

function skipEmptyLines(bytes: Buffer): number {
  let at = 0
  for (let lines = 0; bytes[at] === 0x0d || bytes[at] === 0x0a; lines++) {
    if (at + 1 === bytes.length && bytes[at] === 0x0d) return bytes.length
    if (bytes[at] === 0x0a || bytes[at + 1] !== 0x0a || lines === MAX_EMPTY_LINES) {
      throw new ProtocolError(400, 'Too many or malformed empty lines before the request')
    }
    at += 2
  }
  return at
}

/** Returns the method and target of a rejected request, if it has a request line. The target can be invalid. */
export function requestLineOf(bytes: Buffer | undefined): [method: string | undefined, target: string | undefined] {
  if (bytes === undefined) return [undefined, undefined]
  const match = /^(?:\r\n)*([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([^\r\n]+) HTTP\/\d\.\d\r\n/.exec(
    bytes.toString('latin1', 0, 8192),
  )
  return [match?.[1], match?.[2]]
}
