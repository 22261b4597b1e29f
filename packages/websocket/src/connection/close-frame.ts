import { showValue, withCode } from '@fw/options'

/** RFC 6455 §5.5: a control frame has at most 125 bytes, and the code takes two. */
const MAX_REASON_BYTES = 123

/**
 * Checks the status code and the reason of a Close frame.
 *
 * @throws {RangeError} if a server must not send the code, or the reason is too long
 * @throws {TypeError} if the reason is not a string
 * @see RFC 6455 §7.4
 */
export function checkClose(code: unknown, reason: unknown): void {
  if (typeof code !== 'number' || !isSendable(code)) {
    const allowed = '1000, 1001, 1003, 1007 to 1009, 1011 to 1014, or 3000 to 4999'
    throw withCode('FW_INVALID_CLOSE', new RangeError(`socket.close: code must be ${allowed}, got ${showValue(code)}.`))
  }
  if (typeof reason !== 'string') {
    throw withCode(
      'FW_INVALID_CLOSE',
      new TypeError(`socket.close: reason must be a string, got ${showValue(reason)}. Omit it to send none.`),
    )
  }
  const bytes = Buffer.byteLength(reason)
  if (bytes <= MAX_REASON_BYTES) return
  throw withCode(
    'FW_INVALID_CLOSE',
    new RangeError(`socket.close: reason must have at most ${MAX_REASON_BYTES} bytes in UTF-8, got ${bytes}.`),
  )
}

/** Excludes the codes that never appear in a frame (1004 to 1006, 1015), and those for the client (1010) or the library (1002). */
function isSendable(code: number): boolean {
  if (!Number.isInteger(code)) return false
  if (code >= 3000) return code <= 4999
  return code <= 1001 ? code >= 1000 : code === 1003 || (code >= 1007 && code <= 1014 && code !== 1010)
}
