import { createHash } from 'node:crypto'
import { HttpError, withCode } from '@fw/options'
import type { ProtocolText, RequestHeaders } from '@fw/types'

/** The only version of the protocol (RFC 6455 §4.1). */
const VERSION = '13'
/** RFC 6455 §1.3: the suffix of the key from which both sides compute the accept value. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
/** Matches 16 bytes in base64. The last character encodes two bits, but clients may set the others. */
const KEY = /^[+/\dA-Za-z]{22}==$/
const TOKEN = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/

/** The parts of a request that the handshake depends on. */
export interface HandshakeRequest {
  readonly method: string
  readonly protocol: ProtocolText
  /** The protocol that the client requests; `undefined` if the request asks for no tunnel. */
  readonly upgradeProtocol: string | undefined
  readonly headers: RequestHeaders
}

/** A valid handshake. */
export interface Handshake {
  /** The value of `Sec-WebSocket-Accept`; `undefined` on HTTP/2 and HTTP/3, which have no key (RFC 8441 §5). */
  readonly accept: string | undefined
  /** The subprotocols that the client offers, in its order of preference. */
  readonly protocols: readonly string[]
}

/**
 * Reads the handshake of a client.
 *
 * @throws {HttpError} 426 if the request is not a WebSocket handshake, or asks for an unknown version
 * @throws {HttpError} 400 if the handshake is malformed
 * @see RFC 6455 §4.2.1; RFC 8441 §5; RFC 9220
 */
export function readHandshake({ method, protocol, upgradeProtocol, headers }: HandshakeRequest): Handshake {
  const isHttp1 = protocol === 'HTTP/1.1'
  if (upgradeProtocol !== 'websocket') throw notAHandshake(isHttp1, headers)
  if (method !== (isHttp1 ? 'GET' : 'CONNECT')) throw malformed(`The method of a handshake must not be ${method}`)
  const version = headers.get('sec-websocket-version')
  if (version !== VERSION) {
    if (version === null || !/^\d{1,3}$/.test(version)) throw malformed('Sec-WebSocket-Version must be 13')
    throw refusal(426, 'Sec-WebSocket-Version must be 13', { 'sec-websocket-version': VERSION })
  }
  return { accept: isHttp1 ? acceptOf(headers) : undefined, protocols: offeredProtocols(headers) }
}

/**
 * Selects the first subprotocol in the client's order that the route supports.
 *
 * @returns An empty string if the client offers none
 * @throws {HttpError} 400 if the route supports none of the offered ones. Browsers would reject the response 101 without one
 */
export function selectProtocol(offered: readonly string[], supported: readonly string[]): string {
  if (offered.length === 0) return ''
  const selected = offered.find((each) => supported.includes(each))
  if (selected !== undefined) return selected
  const known = supported.length === 0 ? 'none' : supported.join(', ')
  throw malformed(`The route supports none of the subprotocols in Sec-WebSocket-Protocol. Supported: ${known}`)
}

/** Returns the error for a malformed handshake. */
export function malformed(message: string): HttpError {
  return refusal(400, message)
}

/** Returns the error for a request that is not a handshake. */
function notAHandshake(isHttp1: boolean, headers: RequestHeaders): HttpError {
  // RFC 9110 §15.5.22 requires `Upgrade` in a 426, which only HTTP/1.1 has.
  if (!isHttp1) return malformed('This route requires a WebSocket: CONNECT with :protocol websocket')
  if (/(?:^|,)[\t ]*websocket[\t ]*(?:,|$)/i.test(headers.get('upgrade') ?? '') && hasBody(headers)) {
    return malformed('A WebSocket handshake must not have a body')
  }
  return refusal(426, 'This route requires a WebSocket', { upgrade: 'websocket' })
}

function hasBody(headers: RequestHeaders): boolean {
  return headers.has('transfer-encoding') || !/^0*$/.test(headers.get('content-length') ?? '')
}

function acceptOf(headers: RequestHeaders): string {
  const key = headers.get('sec-websocket-key')
  if (key === null || !KEY.test(key)) throw malformed('Sec-WebSocket-Key must be 16 bytes in base64')
  return createHash('sha1')
    .update(key + GUID)
    .digest('base64')
}

/** RFC 6455 §4.1: the elements of the list must be different tokens. */
function offeredProtocols(headers: RequestHeaders): readonly string[] {
  const field = headers.get('sec-websocket-protocol')
  if (field === null) return []
  const offered = field.split(',').map((each) => each.trim())
  const isValid = offered.every((each) => TOKEN.test(each)) && new Set(offered).size === offered.length
  if (!isValid) throw malformed('Sec-WebSocket-Protocol must be a list of different tokens')
  return offered
}

function refusal(status: number, message: string, headers?: Readonly<Record<string, string>>): HttpError {
  return withCode('FW_INVALID_HANDSHAKE', new HttpError(status, message, headers))
}
