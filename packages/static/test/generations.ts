/** The size of a complete file, in bytes, and the way its writer changes it. */
export interface ChangingFile {
  readonly name: string
  readonly kind: 'renamed' | 'linked' | 'deleted' | 'rewritten' | 'truncated' | 'grown'
  readonly bytes: number
}

/** Sizes of cached, loaded and streamed files. */
const SIZES = { small: 20_000, medium: 400_000, large: 1_200_000 }
const KINDS = ['renamed', 'linked', 'deleted', 'rewritten', 'truncated', 'grown'] as const

export const CHANGING_FILES: readonly ChangingFile[] = KINDS.flatMap((kind) =>
  Object.entries(SIZES).map(([size, bytes]) => ({ name: `${kind}-${size}.bin`, kind, bytes })),
)

/** Bytes by which a growing file grows. */
export const GROWTH_BYTES = 40_000
/** Extra lengths. Two consecutive generations always differ in length. */
const STEP_BYTES = 64

/** Returns the size in bytes of one generation's complete file. */
export function lengthOf({ bytes }: ChangingFile, generation: number): number {
  return bytes + (generation % 100) * STEP_BYTES
}

/** Returns content in which every eight bytes encode their generation and position. */
export function contentOf(generation: number, length: number): Buffer {
  const words = new Uint32Array(Math.ceil(length / 8) * 2)
  for (let at = 0; at < words.length; at += 2) {
    words[at] = generation
    words[at + 1] = at / 2
  }
  return Buffer.from(words.buffer, 0, length)
}

/** Returns the generation that some bytes belong to; `undefined` if they mix generations or are misplaced. */
export function generationOf(bytes: Uint8Array, start: number): number | undefined {
  const at = Math.ceil(start / 8) * 8
  if (bytes.byteLength < at - start + 4) return undefined
  const generation = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).readUInt32LE(at - start)
  const expected = contentOf(generation, start + bytes.byteLength).subarray(start)
  return expected.equals(bytes) ? generation : undefined
}
