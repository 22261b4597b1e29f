/** What is kept by the number of its stream. */
export interface Numbered {
  readonly id: number
  /** The next one in the same place of the table. */
  nextInPlace: this | undefined
}

/** Places of the table at first, a power of two; most connections have few streams at once. */
const FIRST_PLACES = 16

/**
 * The open streams of a connection by their numbers. They come and go by the thousand a second: a `Map` would grow and
 * be copied for it again and again, and its old copies keep closed streams from being collected early. Numbers follow
 * one another, so that places are rarely shared.
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

  /** @param stream One that is not in the table */
  add(stream: Stream): void {
    if (this.#size === this.#places.length) this.#grow()
    const place = this.#placeOf(stream.id)
    stream.nextInPlace = this.#places[place]
    this.#places[place] = stream
    this.#size++
  }

  /** @returns Whether it was there */
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

  /** All of them, as they are now: what is done to them may remove them. */
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

  /** Clients have every second number, over HTTP/3 every fourth. */
  #placeOf(id: number): number {
    return (id >>> 1) & (this.#places.length - 1)
  }
}

function emptyPlaces(count: number): undefined[] {
  return Array.from({ length: count })
}
