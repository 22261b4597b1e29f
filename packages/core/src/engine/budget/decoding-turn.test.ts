import { settle } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { DecodingQueue, DecodingTurn } from './decoding-turn.ts'

/** Creates turns of one queue. Records the names of those that have come. */
function setup(max: number): {
  turn: (name: string) => DecodingTurn
  note: (turn: DecodingTurn, name: string) => void
  came: string[]
} {
  const queue = new DecodingQueue(max)
  const came: string[] = []
  const note = (turn: DecodingTurn, name: string): void => {
    const taken = turn.take()
    if (taken === undefined) came.push(name)
    else void taken.then(() => came.push(name))
  }
  const turn = (name: string): DecodingTurn => {
    const made = new DecodingTurn(queue)
    note(made, name)
    return made
  }
  return { turn, note, came }
}

describe('DecodingTurn', () => {
  it('comes immediately up to the limit, and then in order of arrival', async () => {
    const { turn, came } = setup(2)
    const [a, b] = ['a', 'b', 'c', 'd'].map(turn)
    await settle(1)
    expect(came).toEqual(['a', 'b'])
    b?.end()
    await settle(1)
    expect(came).toEqual(['a', 'b', 'c'])
    a?.end()
    await settle(1)
    expect(came).toEqual(['a', 'b', 'c', 'd'])
  })

  it('takes no place after its end, even if it was still awaited', async () => {
    const { turn, came } = setup(1)
    const [a, b] = ['a', 'b', 'c'].map(turn)
    b?.end()
    await settle(1)
    expect(came).toEqual(['a', 'b'])
    b?.end()
    await settle(1)
    expect(came).toEqual(['a', 'b'])
    a?.end()
    a?.end()
    await settle(1)
    expect(came).toEqual(['a', 'b', 'c'])
    turn('d')
    await settle(1)
    expect(came).toEqual(['a', 'b', 'c'])
  })

  it('can be taken again', async () => {
    const { turn, note, came } = setup(1)
    const a = turn('a')
    await a.take()
    a.end()
    const b = turn('b')
    for (const name of ['a again', 'a too']) note(a, name)
    await settle(1)
    expect(came).toEqual(['a', 'b'])
    b.end()
    await settle(1)
    expect(came).toEqual(['a', 'b', 'a again', 'a too'])
  })
})
