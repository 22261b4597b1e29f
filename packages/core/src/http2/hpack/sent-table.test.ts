import { expect, it } from 'vitest'
import { sentName } from './sent-names.ts'
import { SentTable } from './sent-table.ts'

it('finds an inserted field by name and value until it is evicted', () => {
  const table = new SentTable(100)
  const [a, b] = [sentName('x-a'), sentName('x-b')]
  expect(table.ageOf(a, '1')).toBe(-1)
  expect([table.insert(a, '1'), table.insert(a, '2')]).toEqual([true, true])
  expect([table.ageOf(a, '1'), table.ageOf(a, '2'), table.ageOf(b, '1'), table.ageOf(a, '3')]).toEqual([1, 0, -1, -1])
  table.insert(b, '1')
  expect([table.ageOf(a, '1'), table.ageOf(a, '2'), table.ageOf(b, '1')]).toEqual([-1, 1, 0])
  table.resize(0)
  expect(table.ageOf(b, '1')).toBe(-1)
})

it('does not insert a field larger than three quarters of the table, or any field at size 0', () => {
  expect(new SentTable(100).insert(sentName('x-a'), 'v'.repeat(41))).toBe(false)
  expect(new SentTable(100).insert(sentName('x-a'), 'v'.repeat(40))).toBe(true)
  expect(new SentTable(0).insert(sentName('x-a'), '')).toBe(false)
})

it('distinguishes two names with the same slot', () => {
  const table = new SentTable(4096)
  const names = Array.from({ length: 100 }, (_, i) => sentName(`x-${i}`))
  const [first, second] = names.flatMap((a, i) => names.slice(i + 1).flatMap((b) => (a.slot === b.slot ? [a, b] : [])))
  if (first === undefined || second === undefined) throw new Error('No two names share a slot')
  table.insert(first, 'v')
  expect(table.ageOf(second, 'v')).toBe(-1)
  table.insert(second, 'v')
  expect([table.ageOf(first, 'v'), table.ageOf(second, 'v'), table.ageOf(first, 'v')]).toEqual([1, 0, 1])
})
