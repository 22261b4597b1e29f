import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { AnswerBatch } from './answer-batch.ts'

describe('answers of several connections', () => {
  it('leave together, in order, at the end of the turn', async () => {
    const batch = new AnswerBatch()
    const released: string[] = []
    for (const name of ['a', 'b', 'c']) batch.add({ release: () => released.push(name) })
    await Promise.resolve()
    expect(released).toEqual([])
    await setImmediate()
    expect(released).toEqual(['a', 'b', 'c'])
  })

  it('leave in every turn', async () => {
    const batch = new AnswerBatch()
    const released: number[] = []
    for (const number of [1, 2, 3]) {
      batch.add({ release: () => released.push(number) })
      await setImmediate()
    }
    expect(released).toEqual([1, 2, 3])
  })

  it('do not wait for handlers that take long', () => {
    const batch = new AnswerBatch()
    const released: string[] = []
    batch.add({ release: () => released.push('a') })
    const startMs = performance.now()
    while (performance.now() - startMs < 2) Math.random()
    batch.add({ release: () => released.push('b') })
    expect(released).toEqual(['a'])
  })

  it('leave when a release makes another answer', async () => {
    const batch = new AnswerBatch()
    const released: string[] = []
    batch.add({ release: () => batch.add({ release: () => released.push('late') }) })
    await setImmediate()
    await setImmediate()
    expect(released).toEqual(['late'])
  })
})
