import { expect, it } from 'vitest'
import { NAME_SLOTS, sentName } from './sent-names.ts'

it('gives one object for a name, until too many others came', () => {
  const name = sentName('x-kept')
  expect(sentName('x-kept')).toBe(name)
  for (let i = 0; i < 600; i++) sentName(`x-${i}`)
  expect(sentName('x-kept')).not.toBe(name)
})

it('keeps the names of the static table for ever', () => {
  const name = sentName('content-type')
  for (let i = 0; i < 600; i++) sentName(`x-${i}`)
  expect(sentName('content-type')).toBe(name)
  expect(name.staticIndex).toBe(31)
})

it('does not keep a name that is very long', () => {
  const long = 'x'.repeat(200)
  expect(sentName(long)).not.toBe(sentName(long))
})

it.each([
  ['etag', { isPassing: true, isSecret: false }],
  ['set-cookie', { isPassing: false, isSecret: true }],
  ['authorization', { isPassing: false, isSecret: true }],
  ['x-any', { isPassing: false, isSecret: false }],
])('knows of %s: %j', (name, expected) => {
  expect(sentName(name)).toMatchObject(expected)
})

it('gives slots by the name alone, and spreads usual names over them', () => {
  const usual =
    'content-type date server vary cache-control link access-control-allow-origin x-request-id x-frame-options'
  const slots = usual.split(' ').map((name) => sentName(name).slot)
  expect(new Set(slots).size).toBeGreaterThan(slots.length / 2)
  expect(slots.every((slot) => slot >= 0 && slot < NAME_SLOTS)).toBe(true)
})
