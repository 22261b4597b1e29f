/**
 * Stores short-lived objects, such as connections, in no particular order.
 *
 * A `Set` replaces its table each time it grows, and V8 links each table to the next. After one table reaches the old
 * generation, the garbage collector keeps all objects of the later tables until the next full collection.
 */
// docs/decisions/0031
export class ChurnSet<Item extends object> {
  readonly #items: Item[] = []
  readonly #place: PropertyKey

  /**
   * @param place Name of the item's property that stores its index, so that `delete` does not search. Items whose
   *   class declares this property as a number are added one microsecond faster than other items. Default: a new
   *   symbol.
   */
  constructor(place: PropertyKey = Symbol('place')) {
    this.#place = place
  }

  get size(): number {
    return this.#items.length
  }

  /** Adds an item. Has no effect if the set contains it. */
  add(item: Item): void {
    if (this.#placeOf(item) === undefined) this.#put(item, this.#items.length)
  }

  /** Deletes an item. @returns Whether the set contained it */
  delete(item: Item): boolean {
    const place = this.#placeOf(item)
    if (place === undefined) return false
    const last = this.#items.pop()
    if (last !== undefined && last !== item) this.#put(last, place)
    return true
  }

  /**
   * Calls `visit` for each item. Unlike an iterator, does not allocate an object for each item. Items can be added and
   * deleted during the visit. Visits each remaining item at least once; an added item might not be visited.
   */
  forEach(visit: (item: Item) => void): void {
    // Iterate backwards, because `delete` moves the last item, which has been visited, into the free slot.
    for (let place = this.#items.length - 1; place >= 0; place--) {
      const item = this.#items[place]
      if (item !== undefined) visit(item)
    }
  }

  #placeOf(item: Item): number | undefined {
    const place = (item as Placed)[this.#place]
    // A deleted item still has its old index.
    return place !== undefined && this.#items[place] === item ? place : undefined
  }

  #put(item: Item, place: number): void {
    this.#items[place] = item
    ;(item as Placed)[this.#place] = place
  }
}

type Placed = Record<PropertyKey, number | undefined>
