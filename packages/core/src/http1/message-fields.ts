import { isHost } from '../engine/semantics/authority.ts'
import type { Limits } from '../options/limits.ts'
import { ProtocolError } from '../engine/errors.ts'
import { requestFraming, type Framing } from './framing.ts'
import { Http1Headers, isName, valueBetween } from './headers.ts'

/** What the fields of a request say about the message itself; all others wait until somebody asks for them. */
export interface MessageFields {
  readonly minor: 0 | 1
  readonly headers: Http1Headers
  /** Value of `Host`; empty when an HTTP/1.0 request names none. */
  readonly host: string
  readonly framing: Framing
  /** Whether the client wants to go on with this connection. */
  readonly keepAlive: boolean
  /** Whether the client waits for 100 (Continue) before it sends the body. */
  readonly expectsContinue: boolean
}

const NO_VALUES: readonly string[] = []

/** Members of the list that `Connection` is; to split it costs much where it is long. */
const CLOSE = /(?:^|,)[\t ]*close[\t ]*(?:,|$)/i
const KEEP_ALIVE = /(?:^|,)[\t ]*keep-alive[\t ]*(?:,|$)/i

/**
 * Reads what concerns the message.
 *
 * @param block Valid field lines, each ending in CRLF
 * @throws {ProtocolError} 400 for a missing or contradictory field, 431 for too many fields, 417 for an unknown
 *   expectation, 501 for an unknown transfer coding
 */
export function readMessageFields(minor: 0 | 1, block: string, limits: Pick<Limits, 'maxFields'>): MessageFields {
  let count = 0
  let host: string | undefined
  let connection = ''
  let expect: string | undefined
  let contentLength = NO_VALUES
  let transferEncoding = NO_VALUES
  for (let at = 0; at < block.length; count++) {
    const colon = block.indexOf(':', at)
    const end = block.indexOf('\r', colon)
    switch (colon - at) {
      case 4:
        if (isName(block, at, 'host')) {
          if (host !== undefined) throw new ProtocolError(400, 'Host given twice')
          host = valueBetween(block, colon, end)
        }
        break
      case 6:
        if (isName(block, at, 'expect')) {
          const value = valueBetween(block, colon, end)
          // One that is unknown is not made good by another.
          if (expect === undefined || isContinue(expect)) expect = value
        }
        break
      case 10:
        if (isName(block, at, 'connection')) connection += `${valueBetween(block, colon, end)},`
        break
      case 14:
        if (isName(block, at, 'content-length')) contentLength = contentLength.concat(valueBetween(block, colon, end))
        break
      case 17:
        if (isName(block, at, 'transfer-encoding')) {
          transferEncoding = transferEncoding.concat(valueBetween(block, colon, end))
        }
        break
    }
    at = end + 2
  }
  if (count > limits.maxFields) throw new ProtocolError(431, 'Too many header fields')

  // RFC 9112 §3.2: exactly one Host, and a valid one, in every HTTP/1.1 request.
  if (host === undefined ? minor === 1 : !isHost(host)) throw new ProtocolError(400, 'Host missing or invalid')
  const framing = requestFraming(minor, transferEncoding, contentLength)
  // RFC 9112 §9.3: `close` wins.
  const keepAlive = !hasOption(connection, CLOSE) && (minor === 1 || hasOption(connection, KEEP_ALIVE))
  let expectsContinue = false
  if (expect !== undefined && minor === 1) {
    if (!isContinue(expect)) throw new ProtocolError(417, 'Unknown expectation')
    expectsContinue = framing.kind !== 'none'
  }
  return { minor, headers: new Http1Headers(block), host: host ?? '', framing, keepAlive, expectsContinue }
}

/** Whether a `Connection` field lists an option (RFC 9110 §7.6.1). */
function hasOption(connection: string, option: RegExp): boolean {
  return connection !== '' && option.test(connection)
}

function isContinue(expectation: string): boolean {
  return expectation.toLowerCase() === '100-continue'
}
