/**
 * Another object that writes to a stream, such as a channel. The stream calls these methods so that events keep their
 * order.
 */
export interface StreamListener {
  /** Called before a write by other code. Must write the events that are waiting for the end of the turn. */
  onTurn(): void
  /** Called before a normal end. Must write all waiting events, including those that are waiting for a slow client. */
  onEnding(): void
  /** Called after the stream has ended. */
  onEnd(): void
}
