import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tempFolder, type TempFolder } from '../temp-folder.ts'
import { hunt, type HuntResult } from './hunt.ts'
import { targetsIn } from './target.ts'

/** Long enough on a busy machine, and short enough for a test. */
const HANG_MS = 5000

/** Returns a target whose inputs have ten letters, some with an `x`. */
const targetWith = (check: string): string =>
  `export default {
    parser: 'test',
    generate: (random) => Array.from({ length: 10 }, () => random.pick('abcdefghijklmnopqrstuvwxyz'.split(''))).join(''),
    check: ${check},
  }`

let folder: TempFolder
beforeAll(async () => {
  folder = await tempFolder({
    'passes.ts': targetWith('() => {}'),
    'throws.ts': targetWith(`async (text) => { if (text.includes('x')) throw new TypeError('No x\\nplease') }`),
    'hangs.ts': targetWith(`(text) => { while (text.includes('x')); }`),
    'waits.ts': targetWith(`(text) => text.includes('x') ? new Promise(() => {}) : undefined`),
    'rejects.ts': targetWith(`(text) => { if (text.includes('x')) void Promise.reject(new Error('unheard')) }`),
    'grows.ts': targetWith(`(text) => { const all = []; while (text.includes('x')) all.push({ text }) }`),
    'slow.ts': targetWith(
      `(text) => {
        const start = process.threadCpuUsage()
        while (text.includes('x') && process.threadCpuUsage(start).user < 400_000);
      }`,
    ),
    'remembers.ts': `let calls = 0\n${targetWith(`() => { if (++calls === 5) throw new Error('the fifth call') }`)}`,
  })
})
afterAll(() => folder[Symbol.asyncDispose]())

const huntIn = (name: string, seed: number): Promise<HuntResult> => {
  const target = targetsIn(folder.join('')).find((each) => each.name === name)
  if (target === undefined) throw new Error(`No target ${name}`)
  // The slow target only needs CPU time, of which a busy machine gives it little.
  const hangMs = name === 'slow' ? 60_000 : HANG_MS
  return hunt({ target, seed, seconds: name === 'passes' ? 0.2 : 60, hangMs, maxHeapMb: 64 })
}

describe('hunt', () => {
  it('checks inputs until the time has elapsed', async () => {
    const { inputs, durationMs, finding } = await huntIn('passes', 1)
    expect(finding).toBeUndefined()
    expect(inputs).toBeGreaterThan(10)
    expect(durationMs).toBeGreaterThanOrEqual(200)
  })

  it('minimizes an input on which the target throws, and reports the seed that makes it the first one', async () => {
    const first = await huntIn('throws', 1)
    expect(first.finding).toMatchObject({ input: 'x', foundLength: 12 })
    expect(first.finding?.text).toMatch(/^TypeError: No x\nplease\n +at .*throws\.ts/)
    expect(first.finding?.seed).toBe(first.inputs)
    expect(await huntIn('throws', 1)).toMatchObject({ inputs: first.inputs, finding: first.finding })
    const again = await huntIn('throws', first.finding?.seed ?? 0)
    expect(again).toMatchObject({ inputs: 1, finding: first.finding })
  })

  it.each([
    ['never returns', 'hangs', `No input completed within ${HANG_MS} ms`],
    ['never settles', 'waits', 'The check never settles'],
    ['causes an unhandled rejection', 'rejects', 'unheard'],
    ['exhausts the memory', 'grows', 'heap out of memory'],
    ['uses too much CPU time', 'slow', 'ms of CPU time, more than 250 ms'],
  ])('reports an input on which the target %s', async (_, name, text) => {
    const { finding } = await huntIn(name, 1)
    expect(finding?.text).toContain(text)
    expect(finding?.input).toContain('x')
    const again = await huntIn(name, finding?.seed ?? 0)
    expect(again.inputs).toBe(1)
  })

  it('reports the first seed for a failure that depends on earlier inputs', async () => {
    const { inputs, finding } = await huntIn('remembers', 7)
    expect(inputs).toBe(5)
    expect(finding).toMatchObject({ seed: 7, text: expect.stringContaining('the fifth call') })
  })
})
