import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HpackDynamicTable } from './dynamic-table.ts'

interface Entry {
  readonly id: number
  readonly bytes: number
}

function idsOf(table: HpackDynamicTable<Entry>): number[] {
  return Array.from({ length: table.size }, (_, age) => table.at(age)?.id ?? -1)
}

describe('HpackDynamicTable', () => {
  it('returns the latest entry at age 0 and evicts the oldest ones', () => {
    const table = new HpackDynamicTable<Entry>(100)
    table.insert({ id: 1, bytes: 40 })
    table.insert({ id: 2, bytes: 60 })
    expect(idsOf(table)).toEqual([2, 1])
    table.insert({ id: 3, bytes: 32 })
    expect(idsOf(table)).toEqual([3, 2])
    expect(table.bytes).toBe(92)
    expect(table.inserted).toBe(3)
    expect(table.at(2)).toBeUndefined()
  })

  it('drops every entry when an entry does not fit', () => {
    const table = new HpackDynamicTable<Entry>(100)
    table.insert({ id: 1, bytes: 40 })
    table.insert({ id: 2, bytes: 101 })
    expect([idsOf(table), table.bytes, table.inserted]).toEqual([[], 0, 1])
    table.insert({ id: 3, bytes: 100 })
    expect(idsOf(table)).toEqual([3])
  })

  it('evicts entries when it shrinks, and accepts more when it grows', () => {
    const table = new HpackDynamicTable<Entry>(100)
    for (const id of [1, 2, 3]) table.insert({ id, bytes: 32 })
    table.resize(64)
    expect(idsOf(table)).toEqual([3, 2])
    table.resize(0)
    expect(idsOf(table)).toEqual([])
    table.resize(1000)
    for (const id of [4, 5, 6, 7]) table.insert({ id, bytes: 32 })
    expect(idsOf(table)).toEqual([7, 6, 5, 4])
  })

  it('behaves like a list', () => {
    const size = fc.integer({ min: 0, max: 3000 })
    const step = fc.oneof(
      { weight: 9, arbitrary: fc.record({ insert: fc.integer({ min: 32, max: 400 }) }) },
      fc.record({ resize: size }),
    )
    fc.assert(
      fc.property(size, fc.array(step, { maxLength: 200 }), (initial, steps) => {
        const table = new HpackDynamicTable<Entry>(initial)
        const model: Entry[] = []
        let max = initial
        const evict = (bytes: number): void => {
          while (model.reduce((sum, entry) => sum + entry.bytes, 0) > bytes && model.length > 0) model.pop()
        }
        for (const [id, next] of steps.entries()) {
          if ('resize' in next) {
            max = next.resize
            evict(max)
            table.resize(max)
          } else {
            const entry = { id, bytes: next.insert }
            evict(max - entry.bytes)
            if (entry.bytes <= max) model.unshift(entry)
            table.insert(entry)
          }
          expect(idsOf(table)).toEqual(model.map((entry) => entry.id))
          expect(table.at(model.length)).toBeUndefined()
        }
      }),
    )
  })
})
