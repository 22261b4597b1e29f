/** Returns numbers that depend only on the seed (mulberry32), so every finding can be reproduced. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** Returns a source whose seed is a hash of `text`. A check that needs random choices then depends only on its input. */
  static of(text: string): Random {
    let hash = 0x811c9dc5
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
    return new Random(hash)
  }

  /** Returns a number from 0 to 1, excluding 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Returns an integer from 0 to `below`, excluding `below`. */
  below(below: number): number {
    return Math.floor(this.next() * below)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** @throws {RangeError} if `items` is empty */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('Random.pick: items must not be empty.')
    return items[this.below(items.length)] as T
  }

  /** Returns a list of random length, to which each further item is added with this probability. */
  list<T>(probability: number, make: () => T): T[] {
    const items: T[] = []
    while (this.chance(probability)) items.push(make())
    return items
  }
}
