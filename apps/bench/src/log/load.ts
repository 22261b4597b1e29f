/** What a logger is made to do in one round. */
export interface Load {
  /**
   * `chunk`: 100 calls to a turn of the event loop, as a server makes them while it answers requests; `burst`: calls in
   * one go, until all lines are in the file; `disabled`: calls below the threshold.
   */
  readonly what: 'chunk' | 'burst' | 'disabled'
  /** With those that warm up. */
  readonly calls: number
  /** Calls in chunks before anything is measured. */
  readonly warmUp: number
}
