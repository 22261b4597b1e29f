import type { BigIntStats } from 'node:fs'
import type { Coding } from './coding.ts'

/** A file as it is stored, in one coding. */
export interface Variant {
  /** Path in the file system. */
  readonly path: string
  /** Path of the plain file below the mount, with a leading slash. */
  readonly name: string
  readonly coding: Coding
  readonly stats: BigIntStats
}
