import type { Coding } from './coding.ts'
import { contentType } from './content-type.ts'
import { strongETag } from './etag.ts'
import type { FileIdentity } from './file-identity.ts'
import { formatHttpDate } from './http-date.ts'
import type { Validators } from './preconditions.ts'

/** What a file is to the client: the selected representation of RFC 9110 §3.2. */
export interface Representation extends Validators {
  /** In octets. */
  readonly size: number
  readonly contentType: string
  readonly coding: Coding
  /** Value of `Last-Modified`; `undefined` if it is not known, or depends on the time of the answer. */
  readonly lastModifiedField: string | undefined
}

/** Which validators are made. */
export interface ValidatorOptions {
  readonly etag: boolean
  readonly lastModified: boolean
}

/**
 * Describes a stored file.
 *
 * @param name Its name without the suffix of a sidecar
 */
export function represent(
  name: string,
  coding: Coding,
  stats: FileIdentity,
  options: ValidatorOptions,
): Representation {
  const lastModified = options.lastModified ? wholeSeconds(stats.mtimeNs) : undefined
  return {
    size: Number(stats.size),
    contentType: contentType(name),
    coding,
    etag: options.etag ? strongETag(stats.mtimeNs, stats.size, coding) : undefined,
    lastModified,
    lastModifiedField: lastModified === undefined ? undefined : pastDate(lastModified),
  }
}

/** Rounds down, also before 1970, where integer division rounds up: a validator must not be newer than the file. */
function wholeSeconds(ns: bigint): number {
  const seconds = ns / 1_000_000_000n
  return Number(ns < 0n && ns % 1_000_000_000n !== 0n ? seconds - 1n : seconds)
}

function pastDate(seconds: number): string | undefined {
  return seconds <= Date.now() / 1000 ? formatHttpDate(seconds) : undefined
}
