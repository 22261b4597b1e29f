import { expect, it } from 'vitest'
import { type FlowLayout, isHidden, pointOn, ribbons } from './flow-geometry.ts'

const LAYOUT: FlowLayout = {
  x0: 0,
  xa: 100,
  xb: 200,
  x1: 400,
  middle: 100,
  height: 180,
  from: [40, 160],
  to: [50, 100, 150],
}
const RATES = [
  [10, 20, 0],
  [5, 0, 1],
]

it('makes the width of each ribbon proportional to its rate, and draws rails without requests', () => {
  const all = ribbons(LAYOUT, RATES)
  expect(all).toHaveLength(6)
  const width = (protocol: number, row: number): number =>
    all.find((each) => each.protocol === protocol && each.row === row)?.width ?? 0
  expect(width(0, 1) / width(0, 0)).toBeCloseTo(2)
  expect(width(0, 2)).toBe(0.6)
})

it('stacks the ribbons without gaps around the middle', () => {
  const all = ribbons(LAYOUT, RATES)
  const edges = all.map(({ enter, width }) => [enter - width / 2, enter + width / 2] as const)
  const gaps = edges.slice(1).map(([top], n) => top - (edges[n]?.[1] ?? 0))
  for (const gap of gaps) expect(gap).toBeCloseTo(0)
  const [first, last] = [edges[0]?.[0] ?? 0, edges.at(-1)?.[1] ?? 0]
  expect((first + last) / 2).toBeCloseTo(LAYOUT.middle)
  expect(last - first).toBeLessThanOrEqual(LAYOUT.height)
})

it('limits the width to 4 pixels per request per second', () => {
  expect(
    ribbons(LAYOUT, [
      [1, 0, 0],
      [0, 0, 0],
    ])[0]?.width,
  ).toBe(4)
})

it('moves a dot from its protocol to its route', () => {
  const [ribbon] = ribbons(LAYOUT, RATES)
  if (ribbon === undefined) throw new Error('There is no ribbon')
  expect(pointOn(LAYOUT, ribbon, 0, 0)).toEqual([0, ribbon.start])
  expect(pointOn(LAYOUT, ribbon, 1, 0)).toEqual([400, ribbon.end])
  expect(pointOn(LAYOUT, ribbon, 0.5, 0)[0]).toBeCloseTo(150)
  expect([0.2, 0.5, 0.8].map(isHidden)).toEqual([false, true, false])
})
