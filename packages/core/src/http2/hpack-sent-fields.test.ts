import { describe, expect, it } from 'vitest'
import { sentField, sentName } from './hpack-sent-fields.ts'

describe('sentName and sentField', () => {
  it('give one object for a name and one for a field, until too many others came', () => {
    const name = sentName('x-kept')
    const field = sentField(name, 'value')
    expect(field).toMatchObject({ value: 'value', bytes: 43, isRepeated: false })
    sentField(name, 'another')
    expect(sentName('x-kept')).toBe(name)
    expect(sentField(name, 'value')).toBe(field)
    expect(field?.isRepeated).toBe(true)
    for (let i = 0; i < 600; i++) sentName(`x-${i}`)
    expect(sentName('x-kept')).not.toBe(name)
    expect(sentField(name, 'value')).not.toBe(field)
  })

  it.each([
    ['1,024 fields', 'v', 1100],
    ['256 KiB', 'v'.repeat(2000), 150],
  ])('keep no more than %s', (_what, value, count) => {
    const date = sentName('date')
    const field = sentField(date, 'now')
    for (let i = 0; i < count; i++) sentField(sentName(`x-many-${i % 100}`), `${value}${i}`)
    expect(sentField(date, 'now')).not.toBe(field)
  })

  it('keep the names of the static table for ever', () => {
    const name = sentName('content-type')
    for (let i = 0; i < 600; i++) sentName(`x-${i}`)
    expect(sentName('content-type')).toBe(name)
    expect(name.staticIndex).toBe(31)
  })

  it.each([
    ['of a name whose value passes', 'etag', '"1"'],
    ['that is a secret', 'set-cookie', 'a=b'],
    ['that is larger than most of a table', 'x-large', 'v'.repeat(4000)],
  ])('know no field %s', (_what, name, value) => {
    expect([1, 2, 3].map(() => sentField(sentName(name), value))).toEqual([undefined, undefined, undefined])
  })

  it('do not keep a name that is very long', () => {
    const long = 'x'.repeat(200)
    expect(sentName(long)).not.toBe(sentName(long))
  })
})
