/** Work for a logger in one round. */
export interface Load {
  /**
   * `chunk`: 100 calls per event-loop turn, as in a server. `burst`: consecutive calls, until all lines are in the
   * file. `disabled`: calls below the threshold.
   */
  readonly mode: 'chunk' | 'burst' | 'disabled'
  /** Number of calls, including the warm-up. */
  readonly calls: number
  /** Number of calls before the measurement, in chunks. */
  readonly warmUp: number
}
