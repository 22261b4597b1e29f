/** An event in a channel. */
export interface ChannelEvent {
  /** Sequence number in this channel and process. */
  readonly seq: number
  /** The ID that clients send back as `Last-Event-ID`. */
  readonly id: string
  /** Name of the event. Browsers dispatch it to the listeners for this name. */
  readonly event: string
  /** The data as text. */
  readonly data: string
  /** Groups events for 'latest-by-key'. */
  readonly key: string | undefined
  /** The encoded block, shared by all subscribers. */
  readonly wire: Uint8Array
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number
  /** Opaque position of the event in the backplane. */
  readonly position: string | undefined
}

/** Limits of a history. When any limit is exceeded, the oldest events are removed. `Infinity` disables a limit. */
export interface HistoryLimits {
  /** Maximum number of events. */
  readonly maxEvents: number
  /** Maximum bytes of the encoded blocks. */
  readonly maxBytes: number
  /** Maximum age of an event, in milliseconds since its publication. */
  readonly maxAgeMs: number
}

/** Number of removed entries at the front of the list after which the list is copied. */
const SLACK = 1024

/** Keeps the newest events of a channel, and finds them by ID. */
export class History {
  readonly #limits: HistoryLimits
  readonly #seqs = new Map<string, number>()
  #events: (ChannelEvent | undefined)[] = []
  /** Index of the oldest event in `#events`. */
  #start = 0
  #firstSeq = 0
  #bytes = 0
  /** ID of the last removed event. Every later event is still kept. */
  #evictedId: string | undefined = undefined

  constructor(limits: HistoryLimits) {
    this.#limits = limits
  }

  /** Sequence number of the oldest kept event. */
  get firstSeq(): number {
    return this.#firstSeq
  }

  /** Sequence number of the next event. */
  get nextSeq(): number {
    return this.#firstSeq + this.length
  }

  get length(): number {
    return this.#events.length - this.#start
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Adds an event with the sequence number `nextSeq`. */
  add(event: ChannelEvent): void {
    this.#events.push(event)
    this.#seqs.set(asReceived(event.id), event.seq)
    this.#bytes += event.wire.byteLength
    const { maxEvents, maxBytes } = this.#limits
    while (this.length > 0 && (this.length > maxEvents || this.#bytes > maxBytes)) this.#evict()
    this.expire(event.timeMs)
  }

  /** Removes events older than `maxAgeMs`. */
  expire(nowMs: number): void {
    const { maxAgeMs } = this.#limits
    if (maxAgeMs === Infinity) return
    for (let oldest = this.#events[this.#start]; oldest !== undefined; oldest = this.#events[this.#start]) {
      if (nowMs - oldest.timeMs <= maxAgeMs) return
      this.#evict()
    }
  }

  /** Returns the sequence number after the event with an ID; `undefined` if the ID is unknown. */
  after(id: string): number | undefined {
    const received = asReceived(id)
    const seq = this.#seqs.get(received)
    if (seq !== undefined) return seq + 1
    return received === this.#evictedId ? this.#firstSeq : undefined
  }

  /** Returns the sequence number from which all events are at or after a given time. */
  since(timeMs: number): number {
    let seq = this.nextSeq
    for (let before = this.at(seq - 1); before !== undefined && before.timeMs >= timeMs; before = this.at(seq - 1))
      seq--
    return seq
  }

  at(seq: number): ChannelEvent | undefined {
    return seq < this.#firstSeq ? undefined : this.#events[this.#start + seq - this.#firstSeq]
  }

  /** Removes all events. Later events do not continue the sequence, so the last removed ID is also discarded. */
  clear(): void {
    this.#firstSeq = this.nextSeq
    this.#events = []
    this.#start = 0
    this.#seqs.clear()
    this.#bytes = 0
    this.#evictedId = undefined
  }

  #evict(): void {
    const oldest = this.#events[this.#start]
    if (oldest === undefined) return
    this.#events[this.#start++] = undefined
    this.#firstSeq++
    this.#bytes -= oldest.wire.byteLength
    const id = asReceived(oldest.id)
    this.#evictedId = id
    // A reused ID refers to the newer event.
    if (this.#seqs.get(id) === oldest.seq) this.#seqs.delete(id)
    if (this.#start > SLACK && this.#start * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#start)
      this.#start = 0
    }
  }
}

/** Returns an ID without surrounding whitespace, which header fields lose (RFC 9110 §5.5). */
function asReceived(id: string): string {
  let start = 0
  let end = id.length
  // A regular expression would need quadratic time for a long run of inner whitespace.
  while (start < end && isOws(id.charCodeAt(start))) start++
  while (end > start && isOws(id.charCodeAt(end - 1))) end--
  return id.slice(start, end)
}

function isOws(code: number): boolean {
  return code === 0x20 || code === 0x09
}
