import { describe, expect, it } from 'vitest'
import { BodyOfRead } from './body-of-read.ts'

describe('the body of a read', () => {
  it.each([[['abc']], [['a', 'bc']], [['a', 'b', 'c']]])('in slices %j is one piece', (slices) => {
    const body = new BodyOfRead()
    for (const slice of slices) body.add(Buffer.from(slice))
    expect(body.isEmpty).toBe(false)
    expect(body.take(true).toString()).toBe('abc')
    expect(body.isEmpty).toBe(true)
    body.add(Buffer.from('next'))
    expect(body.take(true).toString()).toBe('next')
  })

  it('is a copy, as what was read is overwritten', () => {
    const received = Buffer.from('abc')
    const body = new BodyOfRead()
    body.add(received)
    const copy = body.take(false)
    received.fill('x')
    expect(copy.toString()).toBe('abc')
  })

  it('that waits has no memory in common with anything', () => {
    const body = new BodyOfRead()
    body.add(Buffer.from('abc'))
    expect(body.take(true).buffer.byteLength).toBe(3)
  })

  it('that was cleared is nothing', () => {
    const body = new BodyOfRead()
    body.add(Buffer.from('a'))
    body.add(Buffer.from('b'))
    body.clear()
    expect([body.isEmpty, body.take(true).toString()]).toEqual([true, ''])
  })
})
