import { acceptedCodings as readCodings } from '@fw/http-fields'

/** A compressed copy next to a file, such as `app.js.br` next to `app.js`. */
export interface Sidecar {
  readonly coding: Coding
  readonly suffix: string
}

/** The sidecars, smallest first. This order decides between codings with equal weights. */
export const SIDECARS: readonly Sidecar[] = [
  { coding: 'br', suffix: '.br' },
  { coding: 'zstd', suffix: '.zst' },
  { coding: 'gzip', suffix: '.gz' },
]

const SERVER_ORDER: readonly Coding[] = [...SIDECARS.map(({ coding }) => coding), 'identity']

const IDENTITY: readonly Coding[] = ['identity']

/** Parsed field values. Browsers send only a few different values; the limits below restrict values from other clients. */
const read = new Map<string, readonly Coding[]>()
const MAX_READ = 64
const MAX_READ_LENGTH = 128

/**
 * Returns the codings that a client accepts, the most preferred first.
 *
 * @param acceptEncoding The field value. `null` if absent, which accepts only `identity`
 * @returns The codings with a weight above 0; empty if the client rejects even `identity`
 * @see RFC 9110 §12.5.3
 */
export function acceptedCodings(acceptEncoding: string | null): readonly Coding[] {
  if (acceptEncoding === null) return IDENTITY
  const known = read.get(acceptEncoding)
  if (known !== undefined) return known
  const codings = readCodings(acceptEncoding, SERVER_ORDER)
  if (acceptEncoding.length <= MAX_READ_LENGTH) {
    if (read.size === MAX_READ) read.clear()
    read.set(acceptEncoding, codings)
  }
  return codings
}

/** Content coding of a stored file (RFC 9110 §8.4.1; zstd: RFC 8878 §7.2). */
export type Coding = 'identity' | 'gzip' | 'br' | 'zstd'
