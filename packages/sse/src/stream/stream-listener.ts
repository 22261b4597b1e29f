/** Who else writes to a stream, such as a channel, and is told when. */
export interface StreamListener {
  /** Something else is about to be written: what waits for the end of the turn goes first. */
  onTurn(): void
  /** The stream is about to end in order: the last chance to write, also for what the client was too slow for. */
  onEnding(): void
  /** The stream is over. */
  onEnd(): void
}
