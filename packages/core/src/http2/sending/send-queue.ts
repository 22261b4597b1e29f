import type { Priority } from '../../engine/fields/priority.ts'

/** A stream that can be queued. */
export interface Prioritized {
  /** Stream identifier. */
  readonly id: number
  readonly priority: Priority
}

/** Number of urgency levels (RFC 9218 §4.1). */
const URGENCIES = 8

/** Queued streams with the same urgency. */
interface Level<Stream> {
  /** Streams by identifier; each is sent completely before the next. */
  readonly sequential: Stream[]
  /** Streams that take turns, in order. */
  readonly incremental: Stream[]
  /** Whether the next turn belongs to a sequential stream. */
  isSequentialNext: boolean
}

/**
 * Orders the streams on a connection that have data to send. More urgent streams come first. Within one urgency,
 * sequential streams follow one another, incremental streams take turns, and the two kinds alternate.
 *
 * @see RFC 9218 §10
 */
export class SendQueue<Stream extends Prioritized> {
  /** Number of queued streams. */
  size = 0
  /** Levels by urgency. */
  readonly #levels: (Level<Stream> | undefined)[] = []
  /** Lower bound of the queued urgencies; 0 is the most urgent. */
  #first = URGENCIES

  /** Adds a stream that is not queued. Its priority must not change while it is queued. */
  add(stream: Stream): void {
    const { urgency, isIncremental } = stream.priority
    const { sequential, incremental } = (this.#levels[urgency] ??= newLevel())
    this.size++
    if (urgency < this.#first) this.#first = urgency
    if (isIncremental) incremental.push(stream)
    else insertById(sequential, stream)
  }

  /** Removes and returns the stream whose turn it is; `undefined` if the queue is empty. */
  take(): Stream | undefined {
    for (; this.size > 0; this.#first++) {
      const level = this.#levels[this.#first]
      const stream = level === undefined ? undefined : takeOf(level)
      if (stream === undefined) continue
      this.size--
      return stream
    }
    return undefined
  }

  /** Removes a queued stream. */
  remove(stream: Stream): void {
    const { urgency, isIncremental } = stream.priority
    const level = this.#levels[urgency]
    const list = isIncremental ? level?.incremental : level?.sequential
    const at = list?.indexOf(stream) ?? -1
    if (at === -1) return
    list?.splice(at, 1)
    this.size--
  }

  clear(): void {
    this.#levels.length = 0
    this.size = 0
    this.#first = URGENCIES
  }
}

function newLevel<Stream>(): Level<Stream> {
  return { sequential: [], incremental: [], isSequentialNext: false }
}

function takeOf<Stream>(level: Level<Stream>): Stream | undefined {
  const { sequential, incremental, isSequentialNext } = level
  if (incremental.length === 0 || (isSequentialNext && sequential.length > 0)) {
    level.isSequentialNext = false
    return sequential.shift()
  }
  level.isSequentialNext = true
  return incremental.shift()
}

/** Inserts a stream by its identifier. The usual position is the end for a new stream, or the start after a turn. */
function insertById<Stream extends Prioritized>(streams: Stream[], stream: Stream): void {
  const at = streams.findIndex(({ id }) => id > stream.id)
  if (at === -1) streams.push(stream)
  else if (at === 0) streams.unshift(stream)
  else streams.splice(at, 0, stream)
}
