import { expect, it } from 'vitest'
import { NAME_SLOTS, sentName } from './sent-names.ts'

it('returns the same object for a name until 512 names are cached', () => {
  const name = sentName('x-kept')
  expect(sentName('x-kept')).toBe(name)
  for (let i = 0; i < 600; i++) sentName(`x-${i}`)
  expect(sentName('x-kept')).not.toBe(name)
})

it('keeps the names of the static table', () => {
  const name = sentName('content-type')
  for (let i = 0; i < 600; i++) sentName(`x-${i}`)
  expect(sentName('content-type')).toBe(name)
  expect(name.staticIndex).toBe(31)
})

it('does not cache a very long name', () => {
  const long = 'x'.repeat(200)
  expect(sentName(long)).not.toBe(sentName(long))
})

it.each([
  ['etag', { isVolatile: true, isSecret: false }],
  ['set-cookie', { isVolatile: false, isSecret: true }],
  ['authorization', { isVolatile: false, isSecret: true }],
  ['x-any', { isVolatile: false, isSecret: false }],
])('describes %s as %j', (name, expected) => {
  expect(sentName(name)).toMatchObject(expected)
})

it('derives the slot from the name only, and spreads common names over the slots', () => {
  const usual =
    'content-type date server vary cache-control link access-control-allow-origin x-request-id x-frame-options'
  const slots = usual.split(' ').map((name) => sentName(name).slot)
  expect(new Set(slots).size).toBeGreaterThan(slots.length / 2)
  expect(slots.every((slot) => slot >= 0 && slot < NAME_SLOTS)).toBe(true)
})
