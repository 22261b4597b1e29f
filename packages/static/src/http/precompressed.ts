import { parseWeights } from './weights.ts'

/** A file beside another one that holds the same in another coding: `app.js.br`. */
export interface Sidecar {
  readonly coding: Coding
  readonly suffix: string
}

/** In the order they are preferred in when the client has no preference: smallest first. */
export const SIDECARS: readonly Sidecar[] = [
  { coding: 'br', suffix: '.br' },
  { coding: 'zstd', suffix: '.zst' },
  { coding: 'gzip', suffix: '.gz' },
]

const SERVER_ORDER: readonly Coding[] = [...SIDECARS.map(({ coding }) => coding), 'identity']

/** Weight of an uncoded response that the client neither lists nor forbids: below everything it does list. */
const UNLISTED_IDENTITY = 0.0005

const IDENTITY: readonly Coding[] = ['identity']

/** Field values that were read before: browsers send a handful of them. Bounded, as clients choose them. */
const read = new Map<string, readonly Coding[]>()
const MAX_READ = 64
const MAX_READ_LENGTH = 128

/**
 * Which codings a client takes, the best first.
 *
 * @param acceptEncoding The field value, `null` when absent: then nothing but `identity`
 * @returns Never a coding with weight 0; empty if even `identity` is forbidden
 * @see RFC 9110 §12.5.3
 */
export function acceptedCodings(acceptEncoding: string | null): readonly Coding[] {
  if (acceptEncoding === null) return IDENTITY
  const known = read.get(acceptEncoding)
  if (known !== undefined) return known
  const codings = readCodings(acceptEncoding)
  if (acceptEncoding.length <= MAX_READ_LENGTH) {
    if (read.size === MAX_READ) read.clear()
    read.set(acceptEncoding, codings)
  }
  return codings
}

function readCodings(acceptEncoding: string): readonly Coding[] {
  const weights = parseWeights(acceptEncoding)
  const others = weights.get('*')
  const weightOf = (coding: Coding): number => {
    const own = weights.get(coding)
    if (own !== undefined) return own
    // §8.4.1.3: x-gzip is gzip.
    if (coding === 'gzip') return weights.get('x-gzip') ?? others ?? 0
    return others ?? (coding === 'identity' ? UNLISTED_IDENTITY : 0)
  }
  // The sort is stable: what weighs the same stays in the server's order.
  return SERVER_ORDER.filter((coding) => weightOf(coding) > 0).toSorted((a, b) => weightOf(b) - weightOf(a))
}

/** A content coding that a file may be stored in (RFC 9110 §8.4.1; zstd: RFC 8878 §7.2). */
export type Coding = 'identity' | 'gzip' | 'br' | 'zstd'
