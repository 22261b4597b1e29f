/**
 * A set of objects that come and go by the thousand, such as connections; in no order.
 *
 * A `Set` outgrows its table again and again, and each table of V8 leads to the next one. Once one of them is garbage
 * among old objects, all that passed through those behind it are taken to be in use until the next full collection.
 */
// docs/decisions/0031
export class ChurnSet<Item extends object> {
  readonly #items: Item[] = []
  readonly #place: PropertyKey

  /**
   * @param place The property in which an item has its place, so that it need not be looked for. A class of items that
   *   has it, of any number, saves each of them from being given it, which takes a microsecond.
   */
  constructor(place: PropertyKey = Symbol('place')) {
    this.#place = place
  }

  get size(): number {
    return this.#items.length
  }

  /** Again is without effect. */
  add(item: Item): void {
    if (this.#placeOf(item) === undefined) this.#put(item, this.#items.length)
  }

  /** @returns Whether it was there */
  delete(item: Item): boolean {
    const place = this.#placeOf(item)
    if (place === undefined) return false
    const last = this.#items.pop()
    if (last !== undefined && last !== item) this.#put(last, place)
    return true
  }

  /**
   * Visits all of them, without making an object for each as an iterator does. They may come and go meanwhile: those that
   * stay are visited, some of them perhaps twice.
   */
  forEach(visit: (item: Item) => void): void {
    // From the end: what takes the place of one that goes has been visited.
    for (let place = this.#items.length - 1; place >= 0; place--) {
      const item = this.#items[place]
      if (item !== undefined) visit(item)
    }
  }

  #placeOf(item: Item): number | undefined {
    const place = (item as Placed)[this.#place]
    // One that has gone still says where it was.
    return place !== undefined && this.#items[place] === item ? place : undefined
  }

  #put(item: Item, place: number): void {
    this.#items[place] = item
    ;(item as Placed)[this.#place] = place
  }
}

type Placed = Record<PropertyKey, number | undefined>
