import type { Limits } from '../options/limits.ts'
import { ProtocolError } from '../engine/errors.ts'
import { readMessageFields, type MessageFields } from './message-fields.ts'
import { targetAuthority } from '../engine/semantics/authority.ts'

/** The head of an HTTP/1.x request. */
export interface RequestHead {
  /** The whole head as received (latin1), its last empty line included. */
  readonly text: string
  readonly method: string
  readonly target: string
  /** Host and port the request is for; empty when an HTTP/1.0 request names none. */
  readonly authority: string
  readonly fields: MessageFields
  /** Where the bytes after the head begin. */
  readonly end: number
}

/** What `readRequestHead` needs of `Limits`. */
export type HeadLimits = Pick<Limits, 'maxHeadBytes' | 'maxRequestLineBytes' | 'maxFields'>

/** Empty lines before a request that are overlooked (RFC 9112 §2.2 asks for one at least). */
const MAX_EMPTY_LINES = 2

/** What nearly every head is within: of many requests that are received together no more than this is made text for each. */
const USUAL_HEAD_BYTES = 1024

/** A target is visible ASCII without a fragment. */
const REQUEST_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([\x21\x22\x24-\x7e]+) HTTP\/1\.([01])$/
/**
 * The field lines of a head. Only CRLF ends a line, nothing stands between a name and its colon, no line is folded:
 * wherever RFC 9112 lets a server repair a message, proxies disagree on the repair.
 */
const FIELD_LINES = /^(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)*$/
/** Bytes that no line of a head may hold, and a CR that does not end one. */
const NEVER_IN_HEAD = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r[^\n]|(?:^|[^\r])\n/
const START_LINE = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+ ([^ ]+) HTTP\/(\d\.\d)$/
const TARGET = /^[\x21\x22\x24-\x7e]+$/

/**
 * Reads the head of a request from what has been received so far.
 *
 * @param previous The head before on the same connection, read under the same limits: what a client says again, as most
 *   do on a connection they keep, is not read again
 * @param seenBytes How many of the bytes were there when the head was found incomplete, so that one that comes byte by
 *   byte is not searched from its beginning for each
 * @returns `undefined` while the head is incomplete and may still become valid
 * @throws {ProtocolError} 400 for a malformed head, 414 for a long request line, 431 for a large head or too many fields,
 *   417 for an unknown expectation, 501 for an unknown transfer coding, 505 for another version
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
  // What ends the head may have been cut in two, or four.
  const from = Math.max(begin, seenBytes - 3)
  // One byte more than allowed is enough to see that it is too much.
  const most = Math.min(bytes.length, begin + limits.maxHeadBytes + 1)
  let received = bytes.toString('latin1', from, Math.min(most, from + USUAL_HEAD_BYTES))
  if (received === again?.text) return moved(again, begin)
  let endOfLines = findEmptyLine(received, limits.maxFields)
  if (endOfLines === undefined && from + USUAL_HEAD_BYTES < most) {
    received = bytes.toString('latin1', from, most)
    endOfLines = findEmptyLine(received, limits.maxFields)
  }
  if (endOfLines === undefined) return checkUnfinished(bytes, begin, seenBytes, limits)

  const end = from + endOfLines
  if (end - begin > limits.maxHeadBytes) throw new ProtocolError(431, 'Request head too large')
  // Parts of a string keep the whole of it in memory: what follows the head must not stay with it.
  const isWhole = from === begin && endOfLines === received.length
  const text = isWhole ? received : bytes.toString('latin1', begin, end)
  // Lines that were seen before count as well.
  if (from > begin) findEmptyLine(text, limits.maxFields)
  const lineEnd = text.indexOf('\r\n')
  if (lineEnd > limits.maxRequestLineBytes) throw new ProtocolError(414, 'Request line too long')
  const line = text.slice(0, lineEnd)
  const match = REQUEST_LINE.exec(line)
  if (match === null) throw diagnose(line)
  const [, method = '', target = '', minorDigit] = match
  const minor = minorDigit === '0' ? 0 : 1
  const block = text.slice(lineEnd + 2, -2)
  let fields = previous?.fields
  if (fields === undefined || fields.minor !== minor || fields.headers.block !== block) {
    if (!FIELD_LINES.test(block)) throw new ProtocolError(400, 'Malformed header field')
    fields = readMessageFields(minor, block, limits)
  }
  const authority = targetAuthority(method, target) ?? fields.host
  // RFC 9110 §9.3.6: what follows a CONNECT may be tunnel data; nobody agrees on what a body of it would be.
  if (method === 'CONNECT' && fields.framing.kind !== 'none') throw new ProtocolError(400, 'CONNECT with a body')
  return { text, method, target, authority, fields, end }
}

/** Whether the bytes from `begin` on are those of the head before, where more follows or it is a large one. */
function isAgain(bytes: Buffer, begin: number, { text }: RequestHead): boolean {
  const end = begin + text.length
  if (end > bytes.length || (end === bytes.length && text.length <= USUAL_HEAD_BYTES)) return false
  return bytes.toString('latin1', begin, end) === text
}

/** The same head elsewhere. */
function moved(head: RequestHead, begin: number): RequestHead {
  const end = begin + head.text.length
  return end === head.end ? head : { ...head, end }
}

/**
 * Goes from line to line, which is quicker than to look for two line ends in a row where there are very many.
 *
 * @returns Where the first empty line ends
 * @throws {ProtocolError} 431 if there are too many lines before it
 */
function findEmptyLine(text: string, maxFields: number): number | undefined {
  let at = 0
  for (let lines = 0; ; lines++) {
    const end = text.indexOf('\r\n', at)
    if (end === -1) return undefined
    if (end === at && lines > 0) return end + 2
    // The first line is that of the request, or the end of one.
    if (lines > maxFields) throw new ProtocolError(431, 'Too many header fields')
    at = end + 2
  }
}

/** Refuses early what can no longer become a valid head. */
function checkUnfinished(bytes: Buffer, begin: number, seenBytes: number, limits: HeadLimits): undefined {
  // The byte before tells whether a line feed is one that ends a line.
  const from = Math.max(begin, seenBytes - 1)
  const added = bytes.toString('latin1', from, begin + limits.maxHeadBytes + 1)
  if (from > begin && added.includes('\n')) {
    findEmptyLine(bytes.toString('latin1', begin, begin + limits.maxHeadBytes + 1), limits.maxFields)
  }
  const lineEnd = bytes.indexOf('\r\n', begin, 'latin1')
  const lineBytes = (lineEnd === -1 ? bytes.length : lineEnd) - begin
  if (lineBytes > limits.maxRequestLineBytes) throw new ProtocolError(414, 'Request line too long')
  if (bytes.length - begin > limits.maxHeadBytes) throw new ProtocolError(431, 'Request head too large')
  if (NEVER_IN_HEAD.test(from > begin && added.startsWith('\n') ? added.slice(1) : added)) {
    throw new ProtocolError(400, 'Malformed request head')
  }
  if (lineEnd === -1 || lineEnd + 2 <= seenBytes) return undefined
  const line = bytes.toString('latin1', begin, lineEnd)
  if (!START_LINE.test(line)) throw diagnose(line)
  return undefined
}

/** Says what is wrong with a head that does not match. */
function diagnose(startLine: string): ProtocolError {
  const parts = START_LINE.exec(startLine)
  if (parts === null) return new ProtocolError(400, 'Malformed request line')
  const [, target = '', version = ''] = parts
  if (version !== '1.0' && version !== '1.1') return new ProtocolError(505, 'Unsupported HTTP version')
  return new ProtocolError(400, TARGET.test(target) ? 'Malformed request line' : 'Invalid request target')
}

/** Whether more than empty lines has arrived, of bytes that `readRequestHead` has not refused. */
export function hasHeadBegun(bytes: Buffer): boolean {
  return skipEmptyLines(bytes) < bytes.length
}

function skipEmptyLines(bytes: Buffer): number {
  let at = 0
  for (let lines = 0; bytes[at] === 0x0d || bytes[at] === 0x0a; lines++) {
    if (at + 1 === bytes.length && bytes[at] === 0x0d) return bytes.length
    if (bytes[at] === 0x0a || bytes[at + 1] !== 0x0a || lines === MAX_EMPTY_LINES) {
      throw new ProtocolError(400, 'More than empty lines before the request')
    }
    at += 2
  }
  return at
}

/** Method and target of a request that was refused, if its request line has them; the target may hold anything but a line break. */
export function requestLineOf(bytes: Buffer | undefined): [method: string | undefined, target: string | undefined] {
  if (bytes === undefined) return [undefined, undefined]
  const match = /^(?:\r\n)*([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([^\r\n]+) HTTP\/\d\.\d\r\n/.exec(
    bytes.toString('latin1', 0, 8192),
  )
  return [match?.[1], match?.[2]]
}
