import { CODE_BITS, CODE_GROUPS, CODES, END_OF_STRING, MAX_CODE_BITS, SYMBOLS } from './huffman-code.ts'

/** Bits looked up at once: two of the codes of most letters and digits, or one of all that are usual in fields. */
const WINDOW_BITS = 12
const WINDOW_MASK = (1 << WINDOW_BITS) - 1
/** The shortest code: so many bits are needed at least for a byte. */
const MIN_CODE_BITS = 5

/** In a window: there are two whole codes. */
const HAS_TWO = 0x10
/**
 * What the next `WINDOW_BITS` bits begin with. From the low end: the bits that one or two whole codes take, in four
 * bits; in the fifth whether there are two; from the ninth the first byte, from the seventeenth the second. 0 if the
 * first code is longer.
 */
const WINDOWS = lookUpTwice(lookUpOnce())

/**
 * The most bytes that an encoded string of some bytes can turn into, and one that `decodeHuffmanInto` may overwrite
 * behind them.
 */
export function maxDecodedBytes(encodedBytes: number): number {
  return Math.floor((encodedBytes * 8) / MIN_CODE_BITS) + 1
}

/**
 * Decodes a string in the Huffman code that HPACK and QPACK share.
 *
 * @param target With room for `maxDecodedBytes` bytes
 * @returns The bytes written to the beginning of `target`, or -1 if the string is not a valid encoding
 * @see RFC 7541 §5.2
 */
export function decodeHuffmanInto(bytes: Uint8Array, start: number, end: number, target: Uint8Array): number {
  let at = start
  let length = 0
  /** The bits that were read and not yet decoded are the low `have` bits; those above mean nothing. */
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
 * Decodes what is left of a string that is shorter than a window.
 *
 * @returns The bytes of the whole string, or -1
 */
function decodeRest(read: number, bits: number, target: Uint8Array, decoded: number): number {
  let length = decoded
  let have = bits
  for (;;) {
    const ones = (1 << (WINDOW_BITS - have)) - 1
    const window = ((read << (WINDOW_BITS - have)) | ones) & WINDOW_MASK
    const found = WINDOWS[window] ?? 0
    const first = CODE_BITS[(found >> 8) & 0xff] ?? 0
    // RFC 7541 §5.2: padding has less than eight bits, and they are those that the end of the string begins with.
    if (found === 0 || first > have) return have < 8 && window === WINDOW_MASK ? length : -1
    target[length++] = found >> 8
    have -= first
  }
}

/**
 * Finds the code that begins at a bit and is longer than a window.
 *
 * @returns Its byte, and from the ninth bit its length; -1 if it breaks off or is the end of the string
 */
function longCode(bytes: Uint8Array, bitAt: number, end: number): number {
  // RFC 7541 §5.2: what is missing at the end is filled with ones, and so leads to the end of the string.
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

/** Large enough for nearly every field; what is larger has memory of its own. */
const scratch = Buffer.allocUnsafeSlow(4096)

/**
 * Decodes a string in the Huffman code that HPACK and QPACK share.
 *
 * @returns The bytes as latin1, or `undefined` if they are not a valid encoding
 * @see RFC 7541 §5.2
 */
export function decodeHuffman(bytes: Uint8Array, start: number, end: number): string | undefined {
  const room = maxDecodedBytes(end - start)
  const target = room <= scratch.length ? scratch : Buffer.allocUnsafe(room)
  const length = decodeHuffmanInto(bytes, start, end, target)
  return length < 0 ? undefined : target.toString('latin1', 0, length)
}

/** The bytes that `encodeHuffman` writes for a text, latin1. */
export function huffmanBytes(text: string): number {
  let bits = 0
  for (let i = 0; i < text.length; i++) bits += CODE_BITS[text.charCodeAt(i) & 0xff] ?? 0
  return (bits + 7) >> 3
}

/**
 * Writes a text, latin1, in Huffman code.
 *
 * @param target With room for `huffmanBytes` bytes from `start` on
 * @returns Where the bytes end
 * @see RFC 7541 §5.2
 */
export function encodeHuffman(text: string, target: Uint8Array, start: number): number {
  let at = start
  /** The bits that are not yet written are the low `have` bits, seven at most between two codes. */
  let coded = 0
  let have = 0
  for (let i = 0; i < text.length; i++) {
    const symbol = text.charCodeAt(i) & 0xff
    let code = CODES[symbol] ?? 0
    let bits = CODE_BITS[symbol] ?? 0
    if (bits > 24) {
      // With those before them they might not fit into 32 bits.
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

/** For each window the first code in it and its byte, `bits | byte << 8`; 0 where the code is longer. */
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

/** Adds the second code, if it is whole too. */
function lookUpTwice(windows: Int32Array): Int32Array {
  return windows.map((first, window) => {
    const bits = first & 0xf
    const second = windows[(window << bits) & WINDOW_MASK] ?? 0
    const both = bits + (second & 0xf)
    if (first === 0 || second === 0 || both > WINDOW_BITS) return first
    return both | HAS_TWO | (first & 0xff00) | ((second & 0xff00) << 8)
  })
}
