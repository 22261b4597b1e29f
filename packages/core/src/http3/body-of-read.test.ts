import { describe, expect, it } from 'vitest'
import { ContentOfRead } from './body-of-read.ts'

describe('the content of a read', () => {
  it.each([[['abc']], [['a', 'bc']], [['a', 'b', 'c']]])('in slices %j is one piece', (slices) => {
    const content = new ContentOfRead()
    for (const slice of slices) content.add(Buffer.from(slice))
    expect(content.isEmpty).toBe(false)
    expect(content.take(true).toString()).toBe('abc')
    expect(content.isEmpty).toBe(true)
    content.add(Buffer.from('next'))
    expect(content.take(true).toString()).toBe('next')
  })

  it('is a copy, as what was read is overwritten', () => {
    const received = Buffer.from('abc')
    const content = new ContentOfRead()
    content.add(received)
    const copy = content.take(false)
    received.fill('x')
    expect(copy.toString()).toBe('abc')
  })

  it('that waits has no memory in common with anything', () => {
    const content = new ContentOfRead()
    content.add(Buffer.from('abc'))
    expect(content.take(true).buffer.byteLength).toBe(3)
  })

  it('that was cleared is nothing', () => {
    const content = new ContentOfRead()
    content.add(Buffer.from('a'))
    content.add(Buffer.from('b'))
    content.clear()
    expect([content.isEmpty, content.take(true).toString()]).toEqual([true, ''])
  })
})
