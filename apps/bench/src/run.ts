import type { Certificate } from './certificate.ts'

/** Settings that all rounds share. */
export interface Run {
  readonly rounds: number
  /** Seconds of load per round, after the warm-up. */
  readonly seconds: number
  readonly warmUpSeconds: number
  /** Whether to run a short, less precise measurement. */
  readonly isQuick: boolean
  /** Folder for files of servers and load generators, deleted at the end. */
  readonly folder: string
  readonly certificate: Certificate
}
