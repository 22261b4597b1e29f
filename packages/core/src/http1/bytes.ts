const HTAB = 0x09

export const LF = 0x0a
export const CR = 0x0d
export const DQUOTE = 0x22
export const SEMICOLON = 0x3b
export const EQUALS = 0x3d
export const BACKSLASH = 0x5c

/** Table with 1 for each byte that a token can contain (RFC 9110 §5.6.2). */
const TOKEN_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte)) ? 1 : 0,
)

/** Reports whether a byte can be part of a token. */
export function isTokenByte(byte: number): boolean {
  return TOKEN_BYTES[byte] === 1
}

/** Reports whether a byte is a control other than HTAB, which no line can contain. */
export function isControl(byte: number): boolean {
  return (byte < 0x20 && byte !== HTAB) || byte === 0x7f
}

/** Returns the value of an ASCII hex digit; -1 for other bytes and for `undefined`. */
export function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1
}
