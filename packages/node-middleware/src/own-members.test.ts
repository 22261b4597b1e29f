import { describe, expect, it } from 'vitest'
import { keepMembers } from './own-members.ts'

class Counter {
  #count = 1
  get count(): number {
    return this.#count
  }
  add(): void {
    this.#count += 1
  }
  reset(): string {
    return 'original'
  }
}

describe('keepMembers()', () => {
  it('keeps methods and accessors after a change of the prototype', () => {
    const counter = new Counter()
    keepMembers(counter, Counter.prototype)
    Object.setPrototypeOf(counter, {})
    counter.add()
    expect(counter.count).toBe(2)
    expect(Object.hasOwn(counter, 'constructor')).toBe(false)
  })

  it('keeps a method that was replaced', () => {
    const counter = Object.assign(new Counter(), { reset: () => 'replaced' })
    keepMembers(counter, Counter.prototype)
    expect(counter.reset()).toBe('replaced')
  })

  it('has no effect on an object with another prototype', () => {
    const counter = {}
    keepMembers(counter, Counter.prototype)
    expect(Object.keys(counter)).toEqual([])
    expect(Object.hasOwn(counter, 'add')).toBe(false)
  })
})
