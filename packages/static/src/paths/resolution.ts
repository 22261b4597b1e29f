import type { Coding } from '../http/precompressed.ts'
import { type FileIdentity, identityOf } from '../files/file-identity.ts'
import type { Representation } from '../http/representation.ts'

/** A file as it is stored, in one coding. */
export interface Variant extends Look {
  readonly stats: FileIdentity
  /** Path of the plain file below the mount, with a leading slash. */
  readonly name: string
  readonly coding: Coding
  /** What it is to clients, left here by the first response from memory. */
  representation: Representation | undefined
}

/** A path that was looked at. */
export interface Look {
  /** Path in the file system. */
  readonly path: string
  /** What was there; `undefined` for nothing. */
  readonly stats: FileIdentity | undefined
  /** When it was found to be the same last. */
  readonly seen: LookTime
}

/** A time, as far as looks are shared by requests. */
export interface LookTime {
  /** Turn of the event loop. */
  turn: number
  atMs: number
}

/** No turn: what is known from then is shared with no request. */
export const NO_TURN = -1

/** A look whose result is shared with no request yet. */
export function newLook(path: string, stats: FileIdentity | undefined): Look {
  return { path, stats: stats && identityOf(stats), seen: { turn: NO_TURN, atMs: 0 } }
}

/** What a request path leads to. */
export interface Resolution {
  /** The file in every coding it is stored in; the plain one comes last. */
  readonly variants: readonly [...Variant[], Variant]
  /** What was looked at to find out: while that is the same, so is the rest. */
  readonly looks: readonly Look[]
  /** If the looks are at the plain file alone: what else they depend on. */
  readonly absence?: Absence
  /** The file responses for a directory that is to be asked for with a slash. */
  readonly isUnslashed?: boolean
}

/**
 * Names that are not in a directory. One that comes changes the directory, and so does one of the others that goes: one
 * look does for all of them.
 */
export interface Absence {
  readonly paths: readonly string[]
  readonly directory: string
  readonly stats: FileIdentity
  /** When the names themselves were last looked for. */
  atMs: number
}
