import { Http1Headers, isName, valueBetween } from './headers.ts'

/**
 * The fields of a request that the engine itself needs. Other fields are parsed when a handler reads them. The values
 * of a repeated field are joined with `, ` (RFC 9110 §5.3).
 */
export interface MessageFields {
  readonly minor: 0 | 1
  readonly headers: Http1Headers
  readonly host: string | undefined
  readonly contentLength: string | undefined
  readonly transferEncoding: string | undefined
  readonly expect: string | undefined
  /** Whether the client keeps the connection open for another request. */
  readonly keepAlive: boolean
  /** Number of header fields. */
  readonly count: number
}

// Members of the `Connection` list. A pattern is faster than splitting a long list.
const CLOSE = /(?:^|,)[\t ]*close[\t ]*(?:,|$)/i
const KEEP_ALIVE = /(?:^|,)[\t ]*keep-alive[\t ]*(?:,|$)/i

/**
 * Collects the fields that the engine needs. `judgeRequestHead` and `requestFraming` check them.
 *
 * @param block Valid field lines, each ending in CRLF
 */
export function readMessageFields(minor: 0 | 1, block: string): MessageFields {
  let count = 0
  let host: string | undefined
  let connection: string | undefined
  let expect: string | undefined
  let contentLength: string | undefined
  let transferEncoding: string | undefined
  for (let at = 0; at < block.length; count++) {
    const colon = block.indexOf(':', at)
    const end = block.indexOf('\r', colon)
    switch (colon - at) {
      case 4:
        if (isName(block, at, 'host')) host = join(host, valueBetween(block, colon, end))
        break
      case 6:
        if (isName(block, at, 'expect')) expect = join(expect, valueBetween(block, colon, end))
        break
      case 10:
        if (isName(block, at, 'connection')) connection = join(connection, valueBetween(block, colon, end))
        break
      case 14:
        if (isName(block, at, 'content-length')) contentLength = join(contentLength, valueBetween(block, colon, end))
        break
      case 17:
        if (isName(block, at, 'transfer-encoding')) {
          transferEncoding = join(transferEncoding, valueBetween(block, colon, end))
        }
        break
    }
    at = end + 2
  }
  // RFC 9112 §9.3: `close` takes precedence.
  const keepAlive = !hasOption(connection, CLOSE) && (minor === 1 || hasOption(connection, KEEP_ALIVE))
  return { minor, headers: new Http1Headers(block), host, contentLength, transferEncoding, expect, keepAlive, count }
}

function join(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`
}

/** Reports whether a `Connection` field lists an option (RFC 9110 §7.6.1). */
function hasOption(connection: string | undefined, option: RegExp): boolean {
  return connection !== undefined && option.test(connection)
}
