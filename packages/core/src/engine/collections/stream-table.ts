/** A stream that a `StreamTable` can store. */
export interface Numbered {
  readonly id: number
  /** Next stream in the same bucket. Only the table reads or writes it. */
  nextInPlace: this | undefined
}

/** Initial number of buckets, a power of two. Most connections have few concurrent streams. */
const FIRST_PLACES = 16

/**
 * Maps stream numbers to the open streams of a connection. Consecutive numbers rarely share a bucket.
 *
 * Thousands of streams open and close per second. A `Map` would be copied repeatedly, and its old copies would keep
 * closed streams in memory.
 */
export class StreamTable<Stream extends Numbered> {
  #places: (Stream | undefined)[] = emptyPlaces(FIRST_PLACES)
  #size = 0

  get size(): number {
    return this.#size
  }

  get(id: number): Stream | undefined {
    let stream = this.#places[this.#placeOf(id)]
    while (stream !== undefined && stream.id !== id) stream = stream.nextInPlace
    return stream
  }

  has(stream: Stream): boolean {
    return this.get(stream.id) === stream
  }

  /** Adds a stream, which must not be in the table yet. */
  add(stream: Stream): void {
    if (this.#size === this.#places.length) this.#grow()
    const place = this.#placeOf(stream.id)
    stream.nextInPlace = this.#places[place]
    this.#places[place] = stream
    this.#size++
  }

  /** Removes a stream. @returns Whether the table contained it */
  remove(stream: Stream): boolean {
    const place = this.#placeOf(stream.id)
    let before: Stream | undefined
    let found = this.#places[place]
    while (found !== undefined && found !== stream) {
      before = found
      found = found.nextInPlace
    }
    if (found === undefined) return false
    if (before === undefined) this.#places[place] = stream.nextInPlace
    else before.nextInPlace = stream.nextInPlace
    stream.nextInPlace = undefined
    this.#size--
    return true
  }

  /** Returns a copy of the current streams, so that the caller can remove streams while it iterates. */
  list(): Stream[] {
    const streams: Stream[] = []
    for (const first of this.#places) {
      for (let stream = first; stream !== undefined; stream = stream.nextInPlace) streams.push(stream)
    }
    return streams
  }

  #grow(): void {
    const streams = this.list()
    this.#places = emptyPlaces(this.#places.length * 2)
    this.#size = 0
    for (const stream of streams) this.add(stream)
  }

  /** Returns the bucket of a number. Client streams have odd numbers on HTTP/2, and multiples of four on HTTP/3. */
  #placeOf(id: number): number {
    return (id >>> 1) & (this.#places.length - 1)
  }
}

function emptyPlaces(count: number): undefined[] {
  return Array.from({ length: count })
}
