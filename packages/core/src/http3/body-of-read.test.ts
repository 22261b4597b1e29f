import { describe, expect, it } from 'vitest'
import { BodyOfRead } from './body-of-read.ts'

describe('BodyOfRead', () => {
  it.each([[['abc']], [['a', 'bc']], [['a', 'b', 'c']]])('joins the slices %j', (slices) => {
    const body = new BodyOfRead()
    for (const slice of slices) body.add(Buffer.from(slice))
    expect(body.isEmpty).toBe(false)
    expect(body.take(true).toString()).toBe('abc')
    expect(body.isEmpty).toBe(true)
    body.add(Buffer.from('next'))
    expect(body.take(true).toString()).toBe('next')
  })

  it('returns a copy, because the read buffer is overwritten', () => {
    const received = Buffer.from('abc')
    const body = new BodyOfRead()
    body.add(received)
    const copy = body.take(false)
    received.fill('x')
    expect(copy.toString()).toBe('abc')
  })

  it('allocates separate memory for a body that waits', () => {
    const body = new BodyOfRead()
    body.add(Buffer.from('abc'))
    expect(body.take(true).buffer.byteLength).toBe(3)
  })

  it('contains no bytes after clear', () => {
    const body = new BodyOfRead()
    body.add(Buffer.from('a'))
    body.add(Buffer.from('b'))
    body.clear()
    expect([body.isEmpty, body.take(true).toString()]).toEqual([true, ''])
  })
})
