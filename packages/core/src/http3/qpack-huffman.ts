/**
 * Bits of the code of each octet, 16 octets a line; the 257th, of the end of the string, comes last.
 *
 * The code is canonical, so the codes follow from their lengths: counted upwards, shorter ones first, and among equal
 * lengths in the order of the octets.
 *
 * @see RFC 7541 Appendix B
 */
const CODE_BITS = [
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

const END_OF_STRING = 256
/** In a transition: an octet is complete and stands in the low eight bits. */
const EMITS = 0x100
/** In a transition: the input cannot be valid. */
const FAILS = 0x200
/** Where a transition keeps its next state. */
const STATE_SHIFT = 10

/**
 * Decodes a string in the Huffman code of HPACK, which QPACK shares, four bits at a time.
 *
 * @returns The octets as latin1, or `undefined` if they are not a valid encoding
 * @see RFC 7541 §5.2
 */
export function decodeHuffman(bytes: Uint8Array, start: number, end: number): string | undefined {
  // The shortest code has five bits.
  const decoded = Buffer.allocUnsafe(Math.floor(((end - start) * 8) / 5))
  let length = 0
  let state = 0
  for (let at = start; at < end; at++) {
    const octet = bytes[at] ?? 0
    for (let shift = 4; shift >= 0; shift -= 4) {
      const next = TRANSITIONS[state * 16 + ((octet >> shift) & 0xf)] ?? FAILS
      if ((next & FAILS) !== 0) return undefined
      if ((next & EMITS) !== 0) decoded[length++] = next & 0xff
      state = next >> STATE_SHIFT
    }
  }
  return PADDING_STATES.has(state) ? decoded.toString('latin1', 0, length) : undefined
}

/** A code that has begun: what one more bit leads to, another node or, below 0, the octet `-1 - n`. */
type Node = [zero: number, one: number]

const NODES = buildTree()
const TRANSITIONS = buildTransitions(NODES)
/** States in which a string may end: less than eight bits of padding, all of them ones. */
const PADDING_STATES = paddingStates(NODES)

function buildTree(): Node[] {
  const symbols = CODE_BITS.map((bits, symbol) => ({ bits, symbol }))
  symbols.sort((a, b) => a.bits - b.bits || a.symbol - b.symbol)
  const nodes: Node[] = [[0, 0]]
  let code = 0
  let bits = 0
  for (const next of symbols) {
    code *= 2 ** (next.bits - bits)
    bits = next.bits
    let node = 0
    for (let bit = bits - 1; bit > 0; bit--) {
      const side = (code >> bit) & 1
      let child = nodes[node]?.[side] ?? 0
      if (child === 0) {
        child = nodes.push([0, 0]) - 1
        setChild(nodes, node, side, child)
      }
      node = child
    }
    setChild(nodes, node, code & 1, -1 - next.symbol)
    code++
  }
  return nodes
}

function setChild(nodes: Node[], node: number, side: number, child: number): void {
  const parent = nodes[node]
  if (parent !== undefined) parent[side === 0 ? 0 : 1] = child
}

function buildTransitions(nodes: readonly Node[]): Int32Array {
  const transitions = new Int32Array(nodes.length * 16)
  for (let state = 0; state < nodes.length; state++) {
    for (let nibble = 0; nibble < 16; nibble++) transitions[state * 16 + nibble] = transition(nodes, state, nibble)
  }
  return transitions
}

function transition(nodes: readonly Node[], state: number, nibble: number): number {
  let node = state
  let emitted = 0
  for (let bit = 3; bit >= 0; bit--) {
    const child = nodes[node]?.[((nibble >> bit) & 1) === 0 ? 0 : 1] ?? 0
    if (child > 0) {
      node = child
      continue
    }
    const symbol = -1 - child
    // RFC 7541 §5.2: the code of the end of the string must not appear.
    if (symbol === END_OF_STRING) return FAILS
    // No code has less than five bits, so at most one ends within four.
    emitted = EMITS | symbol
    node = 0
  }
  return (node << STATE_SHIFT) | emitted
}

function paddingStates(nodes: readonly Node[]): ReadonlySet<number> {
  const states = new Set<number>()
  let node = 0
  for (let bits = 0; bits < 8; bits++) {
    states.add(node)
    node = nodes[node]?.[1] ?? 0
  }
  return states
}
