import { expect, it } from 'vitest'
import { StreamSlots, type Slotted } from './stream-slots.ts'

function stream(deadlineMs: number, told: string[], name: string): Slotted {
  return { slot: -1, deadlineMs, onDeadline: () => told.push(name) }
}

it('tells those whose time has come, once, and knows who is next', () => {
  const told: string[] = []
  const slots = new StreamSlots()
  for (const [deadlineMs, name] of [
    [30, 'c'],
    [10, 'a'],
    [Infinity, 'never'],
    [20, 'b'],
  ] as const) {
    slots.add(stream(deadlineMs, told, name))
  }
  expect(slots.expire(9)).toBe(10)
  expect(told).toEqual([])
  expect(slots.expire(20)).toBe(30)
  expect(told).toEqual(['a', 'b'])
  expect(slots.expire(20)).toBe(30)
  expect(told).toHaveLength(2)
})

it('uses the place of one that has gone again, and forgets that one', () => {
  const told: string[] = []
  const slots = new StreamSlots()
  const [first, second, third] = [stream(1, told, 'first'), stream(1, told, 'second'), stream(1, told, 'third')]
  slots.add(first)
  slots.add(second)
  slots.remove(first)
  slots.remove(first)
  slots.add(third)
  // Its place is another's now.
  slots.remove(first)
  expect([slots.size, third.slot]).toEqual([2, 0])
  expect(slots.expire(1)).toBe(Infinity)
  expect(told).toEqual(['third', 'second'])
  slots.remove(second)
  slots.remove(third)
  expect(slots.size).toBe(0)
})

it('lets a stream go while it is told', () => {
  const slots = new StreamSlots()
  const leaving: Slotted = { slot: -1, deadlineMs: 1, onDeadline: () => slots.remove(leaving) }
  slots.add(leaving)
  expect([slots.expire(1), slots.size]).toEqual([Infinity, 0])
})
