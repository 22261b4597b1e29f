import type { Limits } from '../limits.ts'
import { ProtocolError } from '../engine/protocol-error.ts'
import { readMessageFields, type MessageFields } from './message-fields.ts'
import { targetAuthority } from './request-target.ts'

/** The head of an HTTP/1.x request. */
export interface RequestHead {
  /** The whole head as received (latin1), its last empty line included. */
  readonly text: string
  readonly method: string
  readonly target: string
  /** Host and port the request is for; empty when an HTTP/1.0 request names none. */
  readonly authority: string
  readonly fields: MessageFields
  /** Where the octets after the head begin. */
  readonly end: number
}

/** What `parseHead` needs of `Limits`. */
export type HeadLimits = Pick<Limits, 'maxHeadBytes' | 'maxRequestLineBytes' | 'maxFields'>

/** Empty lines before a request that are overlooked (RFC 9112 §2.2 asks for one at least). */
const MAX_EMPTY_LINES = 2

/** A target is visible ASCII without a fragment. */
const REQUEST_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([\x21\x22\x24-\x7e]+) HTTP\/1\.([01])$/
/**
 * The field lines of a head. Only CRLF ends a line, nothing stands between a name and its colon, no line is folded:
 * wherever RFC 9112 lets a server repair a message, proxies disagree on the repair.
 */
const FIELD_LINES = /^(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)*$/
/** Octets that no line of a head may hold, and a CR that does not end one. */
const NEVER_IN_HEAD = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r[^\n]|(?:^|[^\r])\n/
const START_LINE = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+ ([^ ]+) HTTP\/(\d\.\d)$/
const TARGET = /^[\x21\x22\x24-\x7e]+$/

/**
 * Reads the head of a request from what has been received so far.
 *
 * @param previous The head before on the same connection, read under the same limits: what a client says again, as most
 *   do on a connection they keep, is not read again
 * @returns `undefined` while the head is incomplete and may still become valid
 * @throws {ProtocolError} 400 for a malformed head, 414 for a long request line, 431 for a large head or too many fields,
 *   417 for an unknown expectation, 501 for an unknown transfer coding, 505 for another version
 * @see RFC 9112 §2.2, §3, §5
 */
export function parseHead(bytes: Buffer, limits: HeadLimits, previous?: RequestHead): RequestHead | undefined {
  const begin = skipEmptyLines(bytes)
  if (begin >= bytes.length) return undefined
  // One octet more than allowed is enough to see that it is too much.
  const received = bytes.toString('latin1', begin, Math.min(bytes.length, begin + limits.maxHeadBytes + 1))
  if (previous !== undefined && received.startsWith(previous.text)) {
    const end = begin + previous.text.length
    return end === previous.end ? previous : { ...previous, end }
  }
  const lastLine = received.indexOf('\r\n\r\n')
  if (lastLine === -1) return checkUnfinished(received, limits)

  const lineEnd = received.indexOf('\r\n')
  if (lineEnd > limits.maxRequestLineBytes) throw new ProtocolError(414, 'Request line too long')
  const length = lastLine + 4
  if (length > limits.maxHeadBytes) throw new ProtocolError(431, 'Request head too large')
  // Parts of a string keep the whole of it in memory: what follows the head must not stay with it.
  const text = length === received.length ? received : bytes.toString('latin1', begin, begin + length)
  const line = text.slice(0, lineEnd)
  const match = REQUEST_LINE.exec(line)
  if (match === null) throw diagnose(line)
  const [, method = '', target = '', minorDigit] = match
  const minor = minorDigit === '0' ? 0 : 1
  const block = text.slice(lineEnd + 2, lastLine + 2)
  let fields = previous?.fields
  if (fields === undefined || fields.minor !== minor || fields.headers.block !== block) {
    if (!FIELD_LINES.test(block)) throw new ProtocolError(400, 'Malformed header field')
    fields = readMessageFields(minor, block, limits)
  }
  const authority = targetAuthority(method, target) ?? fields.host
  // RFC 9110 §9.3.6: what follows a CONNECT may be tunnel data; nobody agrees on what a body of it would be.
  if (method === 'CONNECT' && fields.framing.kind !== 'none') throw new ProtocolError(400, 'CONNECT with a body')
  return { text, method, target, authority, fields, end: begin + length }
}

/** Refuses early what can no longer become a valid head. */
function checkUnfinished(text: string, limits: HeadLimits): undefined {
  const lineEnd = text.indexOf('\r\n')
  if ((lineEnd === -1 ? text.length : lineEnd) > limits.maxRequestLineBytes) {
    throw new ProtocolError(414, 'Request line too long')
  }
  if (text.length > limits.maxHeadBytes) throw new ProtocolError(431, 'Request head too large')
  if (NEVER_IN_HEAD.test(text)) throw new ProtocolError(400, 'Malformed request head')
  if (lineEnd !== -1 && !START_LINE.test(text.slice(0, lineEnd))) throw diagnose(text.slice(0, lineEnd))
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
