/**
 * Length of each byte's code in bits, 16 bytes per line. The last entry is the end-of-string code.
 *
 * @see RFC 7541 Appendix B
 */
const LENGTHS = [
  [13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28],
  [28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28],
  [6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6],
  [5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10],
  [13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7],
  [7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6],
  [15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5],
  [6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28],
  [20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23],
  [24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24],
  [22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23],
  [21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23],
  [26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25],
  [19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27],
  [20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23],
  [26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26],
  [30],
].flat()

/** The end-of-string symbol, which an encoded string must not contain (RFC 7541 §5.2). */
export const END_OF_STRING = 256
/** Length of the longest code in bits. */
export const MAX_CODE_BITS = 30

/** Length of each symbol's code in bits. */
export const CODE_BITS: Uint8Array = Uint8Array.from(LENGTHS)
/** The symbols, ordered by their codes. */
export const SYMBOLS: Uint16Array = symbolsInOrder()
/** The code of each symbol, in the low bits. */
export const CODES: Uint32Array = codes()

/** Codes of one length, which are consecutive numbers. */
export interface CodeGroup {
  readonly bits: number
  readonly first: number
  readonly count: number
  /** Index in `SYMBOLS` of the symbol for the first code. */
  readonly at: number
}

/** Groups of codes from the shortest to the longest. */
export const CODE_GROUPS: readonly CodeGroup[] = groups()

function symbolsInOrder(): Uint16Array {
  const symbols = Uint16Array.from(LENGTHS.keys())
  // Sorting is stable, so among equal lengths the bytes keep their order.
  return symbols.sort((a, b) => (CODE_BITS[a] ?? 0) - (CODE_BITS[b] ?? 0))
}

/** Computes the codes from their lengths. The code is canonical: codes count upwards, and shorter codes come first. */
function codes(): Uint32Array {
  const result = new Uint32Array(LENGTHS.length)
  let next = 0
  let bits = 0
  for (const symbol of SYMBOLS) {
    const length = CODE_BITS[symbol] ?? 0
    next *= 2 ** (length - bits)
    bits = length
    result[symbol] = next++
  }
  return result
}

function groups(): CodeGroup[] {
  const result: CodeGroup[] = []
  for (let at = 0; at < SYMBOLS.length;) {
    const symbol = SYMBOLS[at] ?? END_OF_STRING
    const bits = CODE_BITS[symbol] ?? MAX_CODE_BITS
    const count = CODE_BITS.reduce((sum, other) => sum + (other === bits ? 1 : 0), 0)
    result.push({ bits, first: CODES[symbol] ?? 0, count, at })
    at += count
  }
  return result
}
