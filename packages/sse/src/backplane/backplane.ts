/** An event on its way between the processes that share a channel. */
export interface BackplaneEvent {
  readonly event: string
  readonly data: string
  /** As the publisher gave it; the backplane makes one if it is missing. */
  readonly id: string | undefined
  readonly key: string | undefined
}

/** An event as the backplane delivers it. */
export interface DeliveredEvent extends BackplaneEvent {
  readonly id: string
  /** Given back by `kept()`; nobody else reads it. */
  readonly position: string
  /** When it was published, in milliseconds since the Unix epoch, if that was not just now. */
  readonly timeMs?: number | undefined
}

/** The channel in this process, as its backplane sees it. */
export interface BackplaneHost {
  /** How many events are worth keeping. */
  readonly historyCount: number
  /** How many bytes of events are worth keeping. */
  readonly historyBytes: number
  /** Takes the next event of the one order that all processes see. */
  deliver(event: DeliveredEvent): void
  /** Events were lost between those delivered and the next one. */
  missed(): void
  /** What this process still has of what was delivered, oldest first. */
  kept(): Iterable<DeliveredEvent>
}

/**
 * What joins the channels of several processes into one: every event published in any of them is delivered once to
 * each of them, the publisher included, in the same order.
 */
export interface Backplane {
  /** Begins: delivers what is stored, then what comes. Resolves when what was stored has been delivered. */
  open(host: BackplaneHost): Promise<void>
  /** Takes an event for delivery. @throws {Error} if too many events wait already */
  publish(event: BackplaneEvent): void
  /** Resolves when everything published anywhere before the call has been delivered here; rejects when closed. */
  catchUp(): Promise<void>
  /** Sends what waits, as far as that is possible in short time, and gives back what the backplane holds. */
  close(): Promise<void>
}
