import { ProtocolError } from '../engine/errors.ts'
import type { Verdict } from '../engine/semantics/verdict.ts'

/**
 * HTTP/3 and QPACK error codes.
 *
 * @see RFC 9114 §8.1, RFC 9204 §6
 */
export const ErrorCode = {
  NO_ERROR: 0x100,
  GENERAL_PROTOCOL_ERROR: 0x101,
  INTERNAL_ERROR: 0x102,
  STREAM_CREATION_ERROR: 0x103,
  CLOSED_CRITICAL_STREAM: 0x104,
  FRAME_UNEXPECTED: 0x105,
  FRAME_ERROR: 0x106,
  EXCESSIVE_LOAD: 0x107,
  ID_ERROR: 0x108,
  SETTINGS_ERROR: 0x109,
  MISSING_SETTINGS: 0x10a,
  REQUEST_REJECTED: 0x10b,
  REQUEST_CANCELLED: 0x10c,
  REQUEST_INCOMPLETE: 0x10d,
  MESSAGE_ERROR: 0x10e,
  CONNECT_ERROR: 0x10f,
  VERSION_FALLBACK: 0x110,
  QPACK_DECOMPRESSION_FAILED: 0x200,
  QPACK_ENCODER_STREAM_ERROR: 0x201,
  QPACK_DECODER_STREAM_ERROR: 0x202,
} as const

export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode]

/** Reports a protocol violation that closes a stream or the connection with an error code from RFC 9114. */
export class Http3Error extends Error {
  override readonly name = 'Http3Error'
  readonly code: ErrorCode
  readonly scope: 'stream' | 'connection'

  constructor(code: ErrorCode, message: string, scope: 'stream' | 'connection' = 'connection') {
    super(message)
    this.code = code
    this.scope = scope
  }
}

/**
 * Returns the value that a verdict accepts.
 *
 * @throws {Http3Error} MESSAGE_ERROR on the stream if the message is malformed (RFC 9114 §4.1.2)
 * @throws {ProtocolError} with the status of the verdict for a refused one
 */
export function accept<T>(verdict: Verdict<T>): T {
  if (verdict.kind === 'ok') return verdict.value
  if (verdict.kind === 'malformed')
    throw new Http3Error(ErrorCode.MESSAGE_ERROR, `Malformed request: ${verdict.reason}`, 'stream')
  throw new ProtocolError(verdict.status, verdict.reason, 'stream')
}
