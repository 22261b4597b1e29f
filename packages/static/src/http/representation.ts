import type { FieldList } from '@fw/types'
import type { Coding } from './precompressed.ts'
import { contentType } from './content-type.ts'
import { strongETag } from './etag.ts'
import type { FileIdentity } from '../files/file-identity.ts'
import { formatHttpDate } from '@fw/http-fields'
import type { Validators } from '@fw/http-fields'

/** The properties of a representation that determine its header fields. */
export interface Description extends Validators {
  /** The size in bytes. */
  readonly size: number
  readonly contentType: string
  readonly coding: Coding
}

/** A file as the client receives it: the selected representation in RFC 9110 §3.2. */
export interface Representation extends Description {
  /** `ETag` and `Last-Modified`. Omits `Last-Modified` if `isFromFuture`, because it then depends on the response time. */
  readonly validatorFields: FieldList
  /** `validatorFields`, and the fields that describe the body. */
  readonly fields: FieldList
  /** Whether the modification time is in the future. `Last-Modified` is then the time of the response. */
  readonly isFromFuture: boolean
}

/** Which validators to send. */
export interface ValidatorOptions {
  readonly etag: boolean
  readonly lastModified: boolean
}

/**
 * Returns the representation of a file.
 *
 * @param name The file name, without the suffix of a sidecar
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

/** Adds the header fields, which responses share. */
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

/** Rounds down to seconds. Before 1970, integer division rounds up, and a validator must not be newer than the file. */
function wholeSeconds(ns: bigint): number {
  const seconds = ns / 1_000_000_000n
  return Number(ns < 0n && ns % 1_000_000_000n !== 0n ? seconds - 1n : seconds)
}
