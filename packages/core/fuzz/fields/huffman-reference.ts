import { CODE_BITS, CODES, END_OF_STRING } from '../../src/engine/fields/huffman-code.ts'

/** Byte values by their codes, as strings of zeros and ones. */
const BYTES: ReadonlyMap<string, number> = new Map(
  Array.from(CODES, (code, symbol) => [code.toString(2).padStart(CODE_BITS[symbol] ?? 0, '0'), symbol] as const),
)

/**
 * Decodes Huffman code bit by bit.
 *
 * @returns The decoded text as Latin-1, or `undefined` if `bytes` is not a valid encoding
 * @see RFC 7541 §5.2
 */
export function readHuffman(bytes: Uint8Array): string | undefined {
  let text = ''
  let code = ''
  for (const byte of bytes) {
    for (const bit of byte.toString(2).padStart(8, '0')) {
      code += bit
      const symbol = BYTES.get(code)
      if (symbol === undefined) continue
      if (symbol === END_OF_STRING) return undefined
      text += String.fromCharCode(symbol)
      code = ''
    }
  }
  return /^1{0,7}$/.test(code) ? text : undefined
}
