import type { Coding } from '../http/precompressed.ts'
import { type FileIdentity, identityOf } from '../files/file-identity.ts'
import type { Representation } from '../http/representation.ts'

/** A stored file in one coding. */
export interface Variant extends Check {
  readonly stats: FileIdentity
  /** Path of the plain file below the mount, with a leading slash. */
  readonly name: string
  readonly coding: Coding
  /** Representation of the file, cached by the first response from memory. */
  representation: Representation | undefined
}

/** A path and the result of its stat call. */
export interface Check {
  /** Path in the file system. */
  readonly path: string
  /** State of the file; `undefined` if the path did not exist. */
  readonly stats: FileIdentity | undefined
  /** Time of the last stat call that returned this result. */
  readonly checkedAt: CheckTime
}

/** Time of a stat call. Requests of the same event-loop turn can share its result. */
export interface CheckTime {
  /** Number of the event-loop turn. */
  turn: number
  atMs: number
}

/** A turn number that matches no event-loop turn. */
export const NO_TURN = -1

/** Returns a check that no request shares yet. */
export function newCheck(path: string, stats: FileIdentity | undefined): Check {
  return { path, stats: stats && identityOf(stats), checkedAt: { turn: NO_TURN, atMs: 0 } }
}

/** The file that a request path names. */
export interface Resolution {
  /** The file in each stored coding. The plain file comes last. */
  readonly variants: readonly [...Variant[], Variant]
  /** The checks that led to this file. The resolution is valid while their results remain the same. */
  readonly checks: readonly Check[]
  /** Absent sidecars, if `checks` contains only the plain file. */
  readonly absence?: Absence
  /** Whether the file is the index of a directory that was requested without a trailing slash. */
  readonly isUnslashed?: boolean
}

/**
 * Names that a directory does not contain. Adding or removing a file changes the directory time, so one check of the directory
 * covers all names.
 */
export interface Absence {
  readonly paths: readonly string[]
  readonly directory: string
  readonly stats: FileIdentity
  /** Time in milliseconds of the last check of the names themselves. */
  atMs: number
}
