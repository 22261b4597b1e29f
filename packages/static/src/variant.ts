import type { Coding } from './coding.ts'
import type { FileIdentity } from './file-identity.ts'
import type { Look } from './look.ts'
import type { Representation } from './representation.ts'

/** A file as it is stored, in one coding. */
export interface Variant extends Look {
  readonly stats: FileIdentity
  /** Path of the plain file below the mount, with a leading slash. */
  readonly name: string
  readonly coding: Coding
  /** What it is to clients, left here by the first answer from memory. */
  representation: Representation | undefined
}
