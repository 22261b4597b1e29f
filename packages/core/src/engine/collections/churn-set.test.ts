import { assert, integer, constantFrom, property, array, tuple } from 'fast-check'
import { expect, it } from 'vitest'
import { ChurnSet } from './churn-set.ts'

interface Item {
  readonly name: number
}

function listOf(set: ChurnSet<Item>): Item[] {
  const items: Item[] = []
  set.forEach((item) => items.push(item))
  return items
}

function itemsOf(count: number): Item[] {
  return Array.from({ length: count }, (_, name) => ({ name }))
}

it('contains the same items as a Set after random additions and deletions', () => {
  const step = tuple(constantFrom('add', 'delete'), integer({ min: 0, max: 20 }))
  assert(
    property(array(step, { maxLength: 200 }), (steps) => {
      const items = itemsOf(21)
      const set = new ChurnSet<Item>()
      const model = new Set<Item>()
      for (const [what, name] of steps) {
        const item = items[name]
        if (item === undefined) continue
        const [was, is] = [model, set].map((each) => (what === 'add' ? void each.add(item) : each.delete(item)))
        expect(is).toBe(was)
        expect(set.size).toBe(model.size)
        expect(new Set(listOf(set))).toEqual(model)
      }
    }),
  )
})

it('visits every remaining item when items are added and deleted during the visit', () => {
  const goneAt = array(integer({ min: 0, max: 9 }), { minLength: 10, maxLength: 10 })
  assert(
    property(goneAt, (gone) => {
      const items = itemsOf(10)
      const set = new ChurnSet<Item>()
      for (const item of items) set.add(item)
      const met = new Set<Item>()
      let step = 0
      set.forEach((item) => {
        met.add(item)
        const other = items[gone[step++ % gone.length] ?? 0]
        if (other !== undefined) set.delete(other)
        if (step === 3) set.add({ name: 99 })
      })
      const missed = listOf(set).filter((item) => item.name !== 99 && !met.has(item))
      expect(missed).toEqual([])
    }),
  )
})

it('allows one item to belong to two sets', () => {
  const [a, b] = [new ChurnSet<Item>(), new ChurnSet<Item>()]
  const [first, second] = [{ name: 1 }, { name: 2 }]
  for (const item of [first, second]) a.add(item)
  for (const item of [second, first]) b.add(item)
  a.delete(first)
  expect(listOf(a)).toEqual([second])
  expect(listOf(b).toSorted((left, right) => left.name - right.name)).toEqual([first, second])
  expect(b.delete(first)).toBe(true)
  expect(a.delete(first)).toBe(false)
})
