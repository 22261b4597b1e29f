import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { plainTurns, Turns } from './turns.ts'

describe('Turns', () => {
  it('runs one turn at a time and alternates between the candidates', async () => {
    const turns = plainTurns()
    const order: string[] = []
    const candidate = async (name: string): Promise<void> => {
      for (let n = 0; n < 3; n++) {
        await turns.measure(async () => {
          order.push(name)
          await nextTurn()
          order.push(`/${name}`)
        })
      }
    }
    await Promise.all([candidate('a'), candidate('b'), candidate('c')])
    expect(order.join(' ')).toBe('a /a b /b c /c a /a b /b c /c a /a b /b c /c')
  })

  it('continues with the next turn after a failed one', async () => {
    const turns = plainTurns()
    const failing = turns.take(() => Promise.reject(new Error('It does not start')))
    const other = turns.take(() => Promise.resolve('done'))
    await expect(failing).rejects.toThrow('It does not start')
    expect(await other).toBe('done')
  })

  it('repeats only measured turns', async () => {
    const turns = new Turns(async (work) => {
      await work()
      return work()
    })
    let count = 0
    const work = (): Promise<number> => Promise.resolve(++count)
    expect(await turns.take(work)).toBe(1)
    expect(await turns.measure(work)).toBe(3)
  })
})
