/** An event that a channel passes to its backplane. */
export interface BackplaneEvent {
  /** Name of the event. */
  readonly event: string
  /** The data as text. */
  readonly data: string
  /** ID from the publisher; if `undefined`, the backplane generates one. */
  readonly id: string | undefined
  /** Groups events for 'latest-by-key'. */
  readonly key: string | undefined
}

/** An event that the backplane delivers. */
export interface DeliveredEvent extends BackplaneEvent {
  /** ID from the publisher or the backplane. */
  readonly id: string
  /** Opaque position, which the channel returns from `kept()`. */
  readonly position: string
  /** Time of publication in milliseconds since the Unix epoch. Default: the time of delivery. */
  readonly timeMs?: number | undefined
}

/** The members of a channel that its backplane uses. */
export interface BackplaneHost {
  /** Maximum number of events that the channel keeps. */
  readonly historyCount: number
  /** Maximum bytes of events that the channel keeps. */
  readonly historyBytes: number
  /** Receives the next event, in the same order in all processes. */
  deliver(event: DeliveredEvent): void
  /** Reports a gap between the last delivered event and the next. */
  missed(): void
  /** Returns the delivered events that this process still keeps, oldest first. */
  kept(): Iterable<DeliveredEvent>
}

/**
 * Joins the channels of several processes. Each published event is delivered once to every process, including the
 * publisher, in the same order.
 */
export interface Backplane {
  /** Delivers the stored events, then each new one. Resolves when the stored events have been delivered. */
  open(host: BackplaneHost): Promise<void>
  /** Accepts an event for delivery. @throws {Error} if too many events are already waiting */
  publish(event: BackplaneEvent): void
  /** Resolves when this process has received all events that any process published before the call. Rejects when closed. */
  catchUp(): Promise<void>
  /** Sends waiting events, within a short time limit, and releases all resources. */
  close(): Promise<void>
}
