import { CODE_BITS, CODE_GROUPS, CODES, END_OF_STRING, MAX_CODE_BITS, SYMBOLS } from './huffman-code.ts'

/** Bits per table lookup: enough for two codes of most letters and digits, or for one code of any common character. */
const WINDOW_BITS = 12
const WINDOW_MASK = (1 << WINDOW_BITS) - 1
/** Length of the shortest code in bits. */
const MIN_CODE_BITS = 5

/** Flag of a `WINDOWS` entry with two whole codes. */
const HAS_TWO = 0x10
/**
 * The codes at the start of each possible window of `WINDOW_BITS` bits. Bits 0 to 3 contain the total length of one or
 * two whole codes, and bit 4 is `HAS_TWO`. Bits 8 to 15 contain the first byte, and bits 16 to 23 the second. An entry
 * is 0 if the first code is longer than a window.
 */
const WINDOWS = lookUpTwice(lookUpOnce())

/**
 * Returns the maximum decoded length of a string of `encodedBytes` bytes, plus one byte that `decodeHuffmanInto` can
 * overwrite after the string.
 */
export function maxDecodedBytes(encodedBytes: number): number {
  return Math.floor((encodedBytes * 8) / MIN_CODE_BITS) + 1
}

/**
 * Decodes a string in the Huffman code of HPACK and QPACK.
 *
 * @param target Buffer of at least `maxDecodedBytes` bytes
 * @returns The number of bytes written to the start of `target`, or -1 if the encoding is invalid
 * @see RFC 7541 §5.2
 */
export function decodeHuffmanInto(bytes: Uint8Array, start: number, end: number, target: Uint8Array): number {
  let at = start
  let length = 0
  /** The low `have` bits have been read but not decoded. The bits above them are meaningless. */
  let read = 0
  let have = 0
  for (;;) {
    if (have < WINDOW_BITS) {
      if (at + 1 < end) {
        read = (read << 16) | ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
        at += 2
        have += 16
      } else if (at < end) {
        read = (read << 8) | (bytes[at++] ?? 0)
        have += 8
        if (have < WINDOW_BITS) break
      } else break
    }
    const found = WINDOWS[(read >>> (have - WINDOW_BITS)) & WINDOW_MASK] ?? 0
    if (found === 0) {
      const long = longCode(bytes, at * 8 - have, end)
      if (long < 0) return -1
      target[length++] = long & 0xff
      const bitAt = at * 8 - have + (long >> 8)
      at = bitAt >> 3
      have = 0
      if ((bitAt & 7) !== 0) {
        read = bytes[at++] ?? 0
        have = 8 - (bitAt & 7)
      }
      continue
    }
    target[length] = found >> 8
    target[length + 1] = found >> 16
    length += 1 + ((found & HAS_TWO) >> 4)
    have -= found & 0xf
  }
  return decodeRest(read, have, target, length)
}

/**
 * Decodes the last bits of a string, which are fewer than a window.
 *
 * @returns The number of bytes of the whole string, or -1 if the encoding is invalid
 */
function decodeRest(read: number, bits: number, target: Uint8Array, decoded: number): number {
  let length = decoded
  let have = bits
  for (;;) {
    const ones = (1 << (WINDOW_BITS - have)) - 1
    const window = ((read << (WINDOW_BITS - have)) | ones) & WINDOW_MASK
    const found = WINDOWS[window] ?? 0
    const first = CODE_BITS[(found >> 8) & 0xff] ?? 0
    // RFC 7541 §5.2: padding is shorter than eight bits, and consists of the first bits of the end-of-string code.
    if (found === 0 || first > have) return have < 8 && window === WINDOW_MASK ? length : -1
    target[length++] = found >> 8
    have -= first
  }
}

/**
 * Decodes a code that is longer than a window.
 *
 * @param bitAt Index of its first bit
 * @returns Its byte in bits 0 to 7 and its length in the bits above; -1 if it is truncated or the end-of-string code
 */
function longCode(bytes: Uint8Array, bitAt: number, end: number): number {
  // RFC 7541 §5.2: fill missing bits with ones, so that a truncated code decodes as the end of the string.
  let next = 0
  for (let i = bitAt >> 3; i < (bitAt >> 3) + 5; i++) next = next * 256 + (i < end ? (bytes[i] ?? 0) : 0xff)
  const code = Math.floor(next / 2 ** (40 - MAX_CODE_BITS - (bitAt & 7))) % 2 ** MAX_CODE_BITS
  for (const { bits, first, count, at } of CODE_GROUPS) {
    const rank = (code >>> (MAX_CODE_BITS - bits)) - first
    if (rank >= count) continue
    const symbol = SYMBOLS[at + rank] ?? END_OF_STRING
    return symbol === END_OF_STRING || bitAt + bits > end * 8 ? -1 : (bits << 8) | symbol
  }
  return -1
}

/** Buffer that is large enough for nearly every field. Longer fields are decoded into their own buffer. */
const scratch = Buffer.allocUnsafeSlow(4096)

/**
 * Decodes a string in the Huffman code of HPACK and QPACK.
 *
 * @returns The bytes as Latin-1 text, or `undefined` if the encoding is invalid
 * @see RFC 7541 §5.2
 */
export function decodeHuffman(bytes: Uint8Array, start: number, end: number): string | undefined {
  const room = maxDecodedBytes(end - start)
  const target = room <= scratch.length ? scratch : Buffer.allocUnsafe(room)
  const length = decodeHuffmanInto(bytes, start, end, target)
  return length < 0 ? undefined : target.toString('latin1', 0, length)
}

/** Returns the number of bytes that `encodeHuffman` writes for a Latin-1 string. */
export function huffmanBytes(text: string): number {
  let bits = 0
  for (let i = 0; i < text.length; i++) bits += CODE_BITS[text.charCodeAt(i) & 0xff] ?? 0
  return (bits + 7) >> 3
}

/**
 * Writes a Latin-1 string in Huffman code.
 *
 * @param target Buffer with at least `huffmanBytes` bytes after `start`
 * @returns The index after the last byte written
 * @see RFC 7541 §5.2
 */
export function encodeHuffman(text: string, target: Uint8Array, start: number): number {
  let at = start
  /** The low `have` bits have not been written yet; at most seven between two codes. */
  let coded = 0
  let have = 0
  for (let i = 0; i < text.length; i++) {
    const symbol = text.charCodeAt(i) & 0xff
    let code = CODES[symbol] ?? 0
    let bits = CODE_BITS[symbol] ?? 0
    if (bits > 24) {
      // Together with the pending bits, a long code can exceed 32 bits, so write it in two parts.
      bits -= 16
      coded = (coded << bits) | (code >>> 16)
      have += bits
      for (; have >= 8; have -= 8) target[at++] = coded >>> (have - 8)
      code &= 0xffff
      bits = 16
    }
    coded = (coded << bits) | code
    have += bits
    for (; have >= 8; have -= 8) target[at++] = coded >>> (have - 8)
  }
  if (have > 0) target[at++] = (coded << (8 - have)) | (0xff >> have)
  return at
}

/** Returns the first code of each window as `bits | byte << 8`; 0 if the code is longer than the window. */
function lookUpOnce(): Int32Array {
  const windows = new Int32Array(1 << WINDOW_BITS)
  for (const symbol of SYMBOLS) {
    const bits = CODE_BITS[symbol] ?? 0
    if (bits > WINDOW_BITS) break
    const first = (CODES[symbol] ?? 0) << (WINDOW_BITS - bits)
    windows.fill(bits | (symbol << 8), first, first + (1 << (WINDOW_BITS - bits)))
  }
  return windows
}

/** Adds the second code to each window that contains all of it. */
function lookUpTwice(windows: Int32Array): Int32Array {
  return windows.map((first, window) => {
    const bits = first & 0xf
    const second = windows[(window << bits) & WINDOW_MASK] ?? 0
    const both = bits + (second & 0xf)
    if (first === 0 || second === 0 || both > WINDOW_BITS) return first
    return both | HAS_TWO | (first & 0xff00) | ((second & 0xff00) << 8)
  })
}
