import type { Random } from './random.ts'

/** Returns a latin1 string of random bytes. Short strings are the most frequent. */
export function randomBytes(random: Random, maxLength: number): string {
  let bytes = ''
  for (let left = random.below(random.below(maxLength) + 1); left > 0; left--) {
    bytes += String.fromCharCode(random.below(256))
  }
  return bytes
}

/** Changes a string in a few places. Removes characters, inserts `pieces`, and repeats or exchanges parts. */
export function mutate(text: string, random: Random, pieces: readonly string[]): string {
  let changed = text
  do {
    const at = random.below(changed.length + 1)
    const end = Math.min(changed.length, at + random.pick([0, 0, 1, 1, 1, 2, 8]))
    const inserted = random.pick([
      '',
      random.pick(pieces),
      random.pick(pieces),
      changed.slice(at, at + random.below(20)),
      random.pick(pieces).repeat(random.below(20)),
    ])
    changed = changed.slice(0, at) + inserted + changed.slice(end)
  } while (random.chance(0.4))
  return changed
}

/** The maximum number of bytes to cut into slices of one byte. More slices would take longer than the parser under test. */
const MAX_SINGLE_BYTES = 16_384

/** Cuts bytes into nonempty slices, as a network can deliver them. */
export function cut(bytes: Buffer, random: Random): Buffer[] {
  if (random.chance(0.1) && bytes.length <= MAX_SINGLE_BYTES)
    return Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
  const ends = Array.from({ length: random.below(8) }, () => random.below(bytes.length + 1)).toSorted((a, b) => a - b)
  return [...ends, bytes.length]
    .map((end, i) => bytes.subarray(i === 0 ? 0 : ends[i - 1], end))
    .filter(({ length }) => length > 0)
}
