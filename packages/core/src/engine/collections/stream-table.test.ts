import { array, assert, boolean, integer, property, tuple } from 'fast-check'
import { expect, it } from 'vitest'
import { StreamTable, type Numbered } from './stream-table.ts'

class Stream implements Numbered {
  nextInPlace: this | undefined = undefined
  readonly id: number
  constructor(id: number) {
    this.id = id
  }
}

it('contains the same streams as a Map after random additions and removals', () => {
  const acts = array(tuple(boolean(), integer({ min: 0, max: 200 })), { maxLength: 400 })
  assert(
    property(acts, (steps) => {
      const table = new StreamTable<Stream>()
      const map = new Map<number, Stream>()
      for (const [adds, number] of steps) {
        const id = 2 * number + 1
        const known = map.get(id)
        if (adds && known === undefined) {
          const stream = new Stream(id)
          table.add(stream)
          map.set(id, stream)
        }
        const isRemoved = !adds && table.remove(known ?? new Stream(id))
        expect(isRemoved).toBe(!adds && map.delete(id))
        expect(table.get(id)).toBe(map.get(id))
        expect(table.size).toBe(map.size)
      }
      expect(new Set(table.list())).toEqual(new Set(map.values()))
    }),
  )
})
