import { parseWeights } from './weights.ts'

/** The weight of `identity` if the client neither lists nor forbids it. It is below the weight of every listed coding. */
const UNLISTED_IDENTITY = 0.0005

/**
 * Returns the codings in `offered` that a client accepts, the most preferred first. Equal weights keep the order of
 * `offered`.
 *
 * @param acceptEncoding The field value; `null` if absent. Both `null` and an empty value accept only `identity`
 * @param offered Codings in lower case, including `identity` for a response without a coding
 * @returns The codings with a weight above 0; empty if the client accepts none of them
 * @see RFC 9110 §12.5.3
 *
 * @example
 * acceptedCodings('gzip, br;q=0.9', ['br', 'gzip', 'identity'])   // ['gzip', 'br', 'identity']
 */
export function acceptedCodings<C extends string>(acceptEncoding: string | null, offered: readonly C[]): readonly C[] {
  if (acceptEncoding === null) return offered.filter((coding) => coding === 'identity')
  const weights = parseWeights(acceptEncoding)
  const others = weights.get('*')
  const weightOf = (coding: string): number => {
    const own = weights.get(coding)
    if (own !== undefined) return own
    // §8.4.1.3: x-gzip is equivalent to gzip.
    if (coding === 'gzip') return weights.get('x-gzip') ?? others ?? 0
    return others ?? (coding === 'identity' ? UNLISTED_IDENTITY : 0)
  }
  // The sort is stable, so equal weights keep their order.
  return offered.filter((coding) => weightOf(coding) > 0).toSorted((a, b) => weightOf(b) - weightOf(a))
}
