import { acceptedCodings, parseWeights } from '@fw/http-fields'
import type { DictionaryCoding } from './codecs.ts'

/** Codings without a dictionary, which the client can prefer. */
const OTHERS = ['zstd', 'br', 'gzip', 'deflate', 'identity'] as const

/**
 * Returns the coding with a dictionary that the client prefers; `undefined` if it lists none of them, or weighs another coding
 * higher. `*` does not count: a client lists the codings only if it has a dictionary (RFC 9842 §6.1).
 *
 * @param codings In the order that decides between equal weights
 */
export function chooseCoding(
  acceptEncoding: string | null,
  codings: readonly DictionaryCoding[],
): DictionaryCoding | undefined {
  if (acceptEncoding === null) return undefined
  const weights = parseWeights(acceptEncoding)
  const listed = codings.filter((coding) => (weights.get(coding) ?? 0) > 0)
  if (listed.length === 0) return undefined
  const [best] = acceptedCodings(acceptEncoding, [...listed, ...OTHERS])
  return listed.find((coding) => coding === best)
}
