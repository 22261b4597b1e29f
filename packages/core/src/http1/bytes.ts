const HTAB = 0x09

export const LF = 0x0a
export const CR = 0x0d
export const DQUOTE = 0x22
export const SEMICOLON = 0x3b
export const EQUALS = 0x3d
export const BACKSLASH = 0x5c

/** 1 for each octet of a token (RFC 9110 §5.6.2). */
const TOKEN_OCTETS = Uint8Array.from({ length: 256 }, (_, octet) =>
  /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(octet)) ? 1 : 0,
)

export function isTokenOctet(octet: number): boolean {
  return TOKEN_OCTETS[octet] === 1
}

/** Whether an octet may stand in no line: a control other than HTAB. */
export function isControl(octet: number): boolean {
  return (octet < 0x20 && octet !== HTAB) || octet === 0x7f
}

/** Value of an ASCII hex digit, or -1; of what is not there, too. */
export function hexDigit(octet = 0): number {
  if (octet >= 0x30 && octet <= 0x39) return octet - 0x30
  const lower = octet | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1
}
