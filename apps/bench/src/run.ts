import type { Certificate } from './certificate.ts'

/** How much is measured, and what all rounds share. */
export interface Run {
  readonly rounds: number
  /** Load of one round, after the warm-up. */
  readonly seconds: number
  readonly warmUpSeconds: number
  /** Whether a first impression is enough. */
  readonly isQuick: boolean
  /** For files of servers and load generators; removed at the end. */
  readonly folder: string
  readonly certificate: Certificate
}
