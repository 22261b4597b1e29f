import type { FieldList } from '@fw/types'
import type { Coding } from './precompressed.ts'
import { contentType } from './content-type.ts'
import { strongETag } from './etag.ts'
import type { FileIdentity } from '../files/file-identity.ts'
import { formatHttpDate } from './http-date.ts'
import type { Validators } from './preconditions.ts'

/** What is known of a representation. */
export interface Description extends Validators {
  /** In bytes. */
  readonly size: number
  readonly contentType: string
  readonly coding: Coding
}

/** What a file is to the client: the selected representation of RFC 9110 §3.2. */
export interface Representation extends Description {
  /** Fields that name its state; without `Last-Modified` as long as that depends on the time of the response. */
  readonly validatorFields: FieldList
  /** Those, and the ones that describe what is sent. */
  readonly fields: FieldList
  /** Whether it was modified in the future, so that its `Last-Modified` is the time of the response. */
  readonly isFromFuture: boolean
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
  return withFields({
    size: Number(stats.size),
    contentType: contentType(name),
    coding,
    etag: options.etag ? strongETag(stats.mtimeNs, stats.size, coding) : undefined,
    lastModified: options.lastModified ? wholeSeconds(stats.mtimeNs) : undefined,
  })
}

/** Makes the fields of responses, once for all of them. */
export function withFields(description: Description): Representation {
  const { etag, lastModified, coding } = description
  const isFromFuture = lastModified !== undefined && lastModified > Date.now() / 1000
  const date = lastModified === undefined || isFromFuture ? undefined : formatHttpDate(lastModified)
  const validatorFields: string[] = []
  if (etag !== undefined) validatorFields.push('etag', etag)
  if (date !== undefined) validatorFields.push('last-modified', date)
  const fields = [...validatorFields, 'content-type', description.contentType]
  if (coding !== 'identity') fields.push('content-encoding', coding)
  fields.push('accept-ranges', 'bytes', 'x-content-type-options', 'nosniff')
  return { ...description, validatorFields, fields, isFromFuture }
}

/** Rounds down, also before 1970, where integer division rounds up: a validator must not be newer than the file. */
function wholeSeconds(ns: bigint): number {
  const seconds = ns / 1_000_000_000n
  return Number(ns < 0n && ns % 1_000_000_000n !== 0n ? seconds - 1n : seconds)
}
