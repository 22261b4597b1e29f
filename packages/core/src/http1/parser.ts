import type { Limits } from '../limits.ts'
import { ProtocolError } from '../protocol-error.ts'
import { requestFraming, type Framing } from './framing.ts'
import { isHost } from '../host.ts'
import { trimOws } from './request-headers.ts'
import { targetAuthority } from './request-target.ts'

/** The head of an HTTP/1.x request. */
export interface RequestHead {
  readonly method: string
  readonly target: string
  readonly minor: 0 | 1
  /** Host and port the request is for; empty when an HTTP/1.0 request names none. */
  readonly authority: string
  /** The field lines as received (latin1), each ending in CRLF. */
  readonly fieldBlock: string
  readonly framing: Framing
  /** Whether the client wants to go on with this connection. */
  readonly keepAlive: boolean
  /** Whether the client waits for 100 (Continue) before it sends the body. */
  readonly expectsContinue: boolean
  /** Where the octets after the head begin. */
  readonly end: number
}

/** What `parseHead` needs of `Limits`. */
export type HeadLimits = Pick<Limits, 'maxHeadBytes' | 'maxRequestLineBytes' | 'maxFields'>

/** Empty lines before a request that are overlooked (RFC 9112 §2.2 asks for one at least). */
const MAX_EMPTY_LINES = 2

/**
 * A whole head. Only CRLF ends a line, nothing stands between a name and its colon, no line is folded, and a target is
 * visible ASCII without a fragment: wherever RFC 9112 lets a server repair a message, proxies disagree on the repair.
 */
const HEAD =
  /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([\x21\x22\x24-\x7e]+) HTTP\/1\.([01])\r\n((?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)*)\r\n$/
/** Octets that no line of a head may hold, and a CR that does not end one. */
const NEVER_IN_HEAD = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r[^\n]|(?:^|[^\r])\n/
const START_LINE = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+ ([^ ]+) HTTP\/(\d\.\d)$/
const TARGET = /^[\x21\x22\x24-\x7e]+$/

const NO_VALUES: readonly string[] = []

/**
 * Reads the head of a request from what has been received so far.
 *
 * @param start Where in `bytes` the request begins
 * @returns `undefined` while the head is incomplete and may still become valid
 * @throws {ProtocolError} 400 for a malformed head, 414 for a long request line, 431 for a large head or too many fields,
 *   417 for an unknown expectation, 501 for an unknown transfer coding, 505 for another version
 * @see RFC 9112 §2.2, §3, §5
 */
export function parseHead(bytes: Buffer, start: number, limits: HeadLimits): RequestHead | undefined {
  const begin = skipEmptyLines(bytes, start)
  if (begin >= bytes.length) return undefined
  // One octet more than allowed is enough to see that it is too much.
  const text = bytes.toString('latin1', begin, Math.min(bytes.length, begin + limits.maxHeadBytes + 1))
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return checkUnfinished(text, limits)

  const lineEnd = text.indexOf('\r\n')
  if (lineEnd > limits.maxRequestLineBytes) throw new ProtocolError(414, 'Request line too long')
  if (end + 4 > limits.maxHeadBytes) throw new ProtocolError(431, 'Request head too large')
  const match = HEAD.exec(end + 4 === text.length ? text : text.slice(0, end + 4))
  if (match === null) throw diagnose(text.slice(0, lineEnd))
  const [, method = '', target = '', minorDigit, fieldBlock = ''] = match
  return readFields(method, target, minorDigit === '0' ? 0 : 1, fieldBlock, begin + end + 4, limits)
}

/** Finds what the fields say about the message itself; all others wait until somebody asks for them. */
function readFields(
  method: string,
  target: string,
  minor: 0 | 1,
  fieldBlock: string,
  end: number,
  limits: HeadLimits,
): RequestHead {
  let count = 0
  let host: string | undefined
  let connection = ''
  let expect: string | undefined
  let contentLength = NO_VALUES
  let transferEncoding = NO_VALUES
  for (let at = 0; at < fieldBlock.length; count++) {
    const colon = fieldBlock.indexOf(':', at)
    const lineEnd = fieldBlock.indexOf('\r\n', colon)
    switch (colon - at) {
      case 4:
        if (isName(fieldBlock, at, 'host')) {
          if (host !== undefined) throw new ProtocolError(400, 'Host given twice')
          host = valueAt(fieldBlock, colon, lineEnd)
        }
        break
      case 6:
        if (isName(fieldBlock, at, 'expect')) expect = valueAt(fieldBlock, colon, lineEnd)
        break
      case 10:
        if (isName(fieldBlock, at, 'connection')) connection += `${valueAt(fieldBlock, colon, lineEnd)},`
        break
      case 14:
        if (isName(fieldBlock, at, 'content-length')) {
          contentLength = contentLength.concat(valueAt(fieldBlock, colon, lineEnd))
        }
        break
      case 17:
        if (isName(fieldBlock, at, 'transfer-encoding')) {
          transferEncoding = transferEncoding.concat(valueAt(fieldBlock, colon, lineEnd))
        }
        break
    }
    at = lineEnd + 2
  }
  if (count > limits.maxFields) throw new ProtocolError(431, 'Too many header fields')

  // RFC 9112 §3.2: exactly one Host, and a valid one, in every HTTP/1.1 request.
  if (host === undefined ? minor === 1 : !isHost(host)) throw new ProtocolError(400, 'Host missing or invalid')
  const authority = targetAuthority(method, target) ?? host ?? ''
  const framing = requestFraming(minor, transferEncoding, contentLength)
  // RFC 9110 §9.3.6: what follows a CONNECT may be tunnel data; nobody agrees on what a body of it would be.
  if (method === 'CONNECT' && framing.kind !== 'none') throw new ProtocolError(400, 'CONNECT with a body')
  // RFC 9112 §9.3
  const keepAlive = minor === 1 ? !hasOption(connection, 'close') : hasOption(connection, 'keep-alive')
  let expectsContinue = false
  if (expect !== undefined && minor === 1) {
    if (expect.toLowerCase() !== '100-continue') throw new ProtocolError(417, 'Unknown expectation')
    expectsContinue = framing.kind !== 'none'
  }
  return { method, target, minor, authority, fieldBlock, framing, keepAlive, expectsContinue, end }
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
  return new ProtocolError(400, TARGET.test(target) ? 'Malformed header field' : 'Invalid request target')
}

function skipEmptyLines(bytes: Buffer, start: number): number {
  let at = start
  for (let lines = 0; bytes[at] === 0x0d || bytes[at] === 0x0a; lines++) {
    if (at + 1 === bytes.length && bytes[at] === 0x0d) return bytes.length
    if (bytes[at] === 0x0a || bytes[at + 1] !== 0x0a || lines === MAX_EMPTY_LINES) {
      throw new ProtocolError(400, 'More than empty lines before the request')
    }
    at += 2
  }
  return at
}

/** Whether `name` (lower case) stands at `at`, whatever its case. The octets are known to be token characters. */
function isName(block: string, at: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    if ((block.charCodeAt(at + i) | 0x20) !== name.charCodeAt(i)) return false
  }
  return true
}

function valueAt(block: string, colon: number, lineEnd: number): string {
  return trimOws(block.slice(colon + 1, lineEnd))
}

/** Whether a `Connection` field lists an option (RFC 9110 §7.6.1). */
function hasOption(connection: string, option: string): boolean {
  if (connection === '') return false
  return connection.split(',').some((item) => trimOws(item).toLowerCase() === option)
}

/** Method and target of a request that was refused, as far as its request line is valid. */
export function requestLineOf(bytes: Buffer): [method: string | undefined, target: string | undefined] {
  const match = /^(?:\r\n)*([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([\x21-\x7e]+) HTTP\/\d\.\d\r\n/.exec(
    bytes.toString('latin1', 0, 8192),
  )
  return [match?.[1], match?.[2]]
}
