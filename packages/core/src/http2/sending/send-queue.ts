import type { Priority } from '../../engine/fields/priority.ts'

/** What waits to be sent. */
export interface Prioritized {
  /** The number of its stream. */
  readonly id: number
  readonly priority: Priority
}

/** Values of urgency (RFC 9218 §4.1). */
const URGENCIES = 8

/** Those of one urgency. */
interface Level<Stream> {
  /** By their numbers: each is sent to its end before the next. */
  readonly sequential: Stream[]
  /** In turn. */
  readonly incremental: Stream[]
  /** Whether the turn is of one of the others. */
  isSequentialNext: boolean
}

/**
 * The streams of a connection that have something to send, in the order in which they may: the more urgent ones first,
 * of these one after the other where only the whole is of use to the client, and by turns where parts are.
 *
 * @see RFC 9218 §10
 */
export class SendQueue<Stream extends Prioritized> {
  /** How many there are. */
  size = 0
  /** By urgency. */
  readonly #levels: (Level<Stream> | undefined)[] = []
  /** None is more urgent. */
  #least = URGENCIES

  /** @param stream One that is not in the queue; its priority stays the same as long as it is */
  add(stream: Stream): void {
    const { urgency, isIncremental } = stream.priority
    const { sequential, incremental } = (this.#levels[urgency] ??= newLevel())
    this.size++
    if (urgency < this.#least) this.#least = urgency
    if (isIncremental) incremental.push(stream)
    else insertById(sequential, stream)
  }

  /** Takes the one whose turn it is. */
  take(): Stream | undefined {
    for (; this.size > 0; this.#least++) {
      const level = this.#levels[this.#least]
      const stream = level === undefined ? undefined : takeOf(level)
      if (stream === undefined) continue
      this.size--
      return stream
    }
    return undefined
  }

  /** Takes one out of the order. @param stream One that is in the queue */
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
    this.#least = URGENCIES
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

/** Most have the highest number, or are the first again. */
function insertById<Stream extends Prioritized>(streams: Stream[], stream: Stream): void {
  const at = streams.findIndex(({ id }) => id > stream.id)
  if (at === -1) streams.push(stream)
  else if (at === 0) streams.unshift(stream)
  else streams.splice(at, 0, stream)
}
