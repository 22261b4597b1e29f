import { ProtocolError } from '../engine/errors.ts'
import type { Verdict } from '../engine/semantics/verdict.ts'

/** Error codes from RFC 9113 §7. */
export const ErrorCode = {
  NO_ERROR: 0x0,
  PROTOCOL_ERROR: 0x1,
  INTERNAL_ERROR: 0x2,
  FLOW_CONTROL_ERROR: 0x3,
  SETTINGS_TIMEOUT: 0x4,
  STREAM_CLOSED: 0x5,
  FRAME_SIZE_ERROR: 0x6,
  REFUSED_STREAM: 0x7,
  CANCEL: 0x8,
  COMPRESSION_ERROR: 0x9,
  ENHANCE_YOUR_CALM: 0xb,
} as const

export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode]

/** Reports a client error that ends the connection with GOAWAY (RFC 9113 §5.4.1). */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Reports a client error that ends one stream with RST_STREAM (RFC 9113 §5.4.2). */
export class StreamError extends Error {
  override readonly name = 'StreamError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Returns the value that a verdict accepts.
 *
 * @throws {StreamError} PROTOCOL_ERROR for a malformed message (RFC 9113 §8.1.1)
 * @throws {ProtocolError} with the status of the verdict for a refused one
 */
export function accept<T>(verdict: Verdict<T>): T {
  if (verdict.kind === 'ok') return verdict.value
  if (verdict.kind === 'malformed')
    throw new StreamError(ErrorCode.PROTOCOL_ERROR, `Malformed request: ${verdict.reason}`)
  throw new ProtocolError(verdict.status, verdict.reason, 'stream')
}
