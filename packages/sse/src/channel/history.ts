/** An event as a channel keeps it and gives it to its subscribers. */
export interface ChannelEvent {
  /** Place in the order of this channel in this process. */
  readonly seq: number
  readonly id: string
  readonly event: string
  /** The data as text. */
  readonly data: string
  /** What 'latest-by-key' goes by. */
  readonly key: string | undefined
  /** The whole block, encoded once for all subscribers. */
  readonly wire: Uint8Array
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number
  /** What the backplane wants to remember about the event. */
  readonly position: string | undefined
}

/** Limits of a history. Over any of them the oldest events are removed. `Infinity` turns a limit off. */
export interface HistoryLimits {
  readonly maxEvents: number
  /** Bytes of the encoded blocks. */
  readonly maxBytes: number
  /** Milliseconds since an event was published. */
  readonly maxAgeMs: number
}

/** Dead entries at the front of the list before it is copied. */
const SLACK = 1024

/** The newest events of a channel, found by id. */
export class History {
  readonly #limits: HistoryLimits
  readonly #seqs = new Map<string, number>()
  #events: (ChannelEvent | undefined)[] = []
  /** Where the oldest event lies in the list. */
  #start = 0
  #firstSeq = 0
  #bytes = 0
  /** The event that was removed last: nothing after it is missing. */
  #evictedId: string | undefined = undefined

  constructor(limits: HistoryLimits) {
    this.#limits = limits
  }

  /** Place of the oldest event that is kept. */
  get firstSeq(): number {
    return this.#firstSeq
  }

  /** Place of the next event to come. */
  get nextSeq(): number {
    return this.#firstSeq + this.length
  }

  get length(): number {
    return this.#events.length - this.#start
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Keeps an event, whose place is `nextSeq`. */
  add(event: ChannelEvent): void {
    this.#events.push(event)
    this.#seqs.set(asReceived(event.id), event.seq)
    this.#bytes += event.wire.byteLength
    const { maxEvents, maxBytes } = this.#limits
    while (this.length > 0 && (this.length > maxEvents || this.#bytes > maxBytes)) this.#evict()
    this.expire(event.timeMs)
  }

  /** Removes what is too old. */
  expire(nowMs: number): void {
    const { maxAgeMs } = this.#limits
    if (maxAgeMs === Infinity) return
    for (let oldest = this.#events[this.#start]; oldest !== undefined; oldest = this.#events[this.#start]) {
      if (nowMs - oldest.timeMs <= maxAgeMs) return
      this.#evict()
    }
  }

  /** Place of the first event after the one of that id; `undefined` if the id is neither kept nor was removed last. */
  after(id: string): number | undefined {
    const received = asReceived(id)
    const seq = this.#seqs.get(received)
    if (seq !== undefined) return seq + 1
    return received === this.#evictedId ? this.#firstSeq : undefined
  }

  /** Place of the first of the newest events that are all of that time or later. */
  since(timeMs: number): number {
    let seq = this.nextSeq
    for (let before = this.at(seq - 1); before !== undefined && before.timeMs >= timeMs; before = this.at(seq - 1))
      seq--
    return seq
  }

  at(seq: number): ChannelEvent | undefined {
    return seq < this.#firstSeq ? undefined : this.#events[this.#start + seq - this.#firstSeq]
  }

  /** Forgets everything, also what was removed last: what comes next does not follow on what was kept. */
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
    // An id that was used again belongs to the newer event.
    if (this.#seqs.get(id) === oldest.seq) this.#seqs.delete(id)
    if (this.#start > SLACK && this.#start * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#start)
      this.#start = 0
    }
  }
}

/** An id as it arrives in a header field, where white space around a value does not count: RFC 9110 §5.5. */
function asReceived(id: string): string {
  let start = 0
  let end = id.length
  // No regular expression: for what clients send it would go through white space in the middle again from each of its places.
  while (start < end && isOws(id.charCodeAt(start))) start++
  while (end > start && isOws(id.charCodeAt(end - 1))) end--
  return id.slice(start, end)
}

function isOws(code: number): boolean {
  return code === 0x20 || code === 0x09
}
