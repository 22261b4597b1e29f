import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tempFolder, type TempFolder } from '../temp-folder.ts'
import { runFuzzCommand } from './command.ts'
import { readCorpusFile } from './corpus.ts'

const GOOD = `export default { parser: 'what is good', generate: (random) => random.next(), check() {} }`
const BAD = `export default {
  parser: 'what is bad',
  generate: (random) => String(random.below(1000)) + '\\u00a0',
  check(text) { if (text.includes('7')) throw new Error('A seven') },
}`

let folder: TempFolder
beforeAll(async () => {
  folder = await tempFolder({
    'packages/a/fuzz/good.ts': GOOD,
    'packages/b/fuzz/bad.ts': BAD,
    'packages/b/src/x.ts': '',
  })
})
afterAll(() => folder[Symbol.asyncDispose]())

async function run(...args: readonly string[]): Promise<{ code: number; output: string }> {
  const lines: string[] = []
  const code = await runFuzzCommand(args, { root: folder.join('.'), print: (line) => lines.push(line) })
  return { code, output: lines.join('\n') }
}

describe('pnpm fuzz', () => {
  it('lists the targets of all packages with their parsers', async () => {
    expect(await run('--list')).toEqual({ code: 0, output: 'bad   what is bad\ngood  what is good' })
  })

  it('prints the seed, the number of inputs and the rate', async () => {
    const { code, output } = await run('good', '--seconds', '0', '--seed', '5')
    expect(code).toBe(0)
    expect(output).toMatch(/^good: 0 s from seed 5\ngood: 1 inputs in \d+\.\d s, \d+ per second$/)
  })

  it('uses a new seed for each run', async () => {
    const outputs = [await run('good', '--seconds', '0'), await run('good', '--seconds', '0')]
    const [first, second] = outputs.map(({ output }) => /from seed (\d+)/.exec(output)?.[1])
    expect(first).not.toBe(second)
  })

  it('runs every target if no target is named, and exits with 1 after a finding', async () => {
    const { code, output } = await run('--seconds', '1', '--seed', '1')
    expect(code).toBe(1)
    expect(output).toContain('good: 1 s from seed 1')
    const [, seed] = /bad: finding at seed (\d+)/.exec(output) ?? []
    expect(output).toContain('Error: A seven')
    expect(output).toContain('"7"')
    expect(output).toContain(`Reproduce it: pnpm fuzz bad --seed ${seed}`)

    const [, path = ''] = /Wrote (packages\/b\/fuzz\/corpus\/bad\/(\S+\.json))\./.exec(output) ?? []
    expect(JSON.parse(await readFile(folder.join(path), 'utf8'))).toEqual({ found: 'Error: A seven', input: '7' })
    expect(readCorpusFile(folder.join('packages/b/fuzz/corpus/bad'), path.split('/').at(-1) ?? '')).toBe('7')
    expect((await run('bad', '--seed', String(seed))).output).toContain(`finding at seed ${seed}`)
  })

  it.each([
    [['hpack'], 'pnpm fuzz: target must be one of bad, good, got "hpack".'],
    [['--seed', 'x'], 'pnpm fuzz: --seed must be an integer of at least 0, got "x".'],
    [['--seconds', '-1'], "pnpm fuzz: Option '--seconds' argument is ambiguous."],
    [['--second', '1'], "pnpm fuzz: Unknown option '--second'."],
  ])('rejects %j and shows its usage', async (args, message) => {
    const { code, output } = await run(...args)
    expect(code).toBe(2)
    expect(output).toContain(message)
    expect(output).toContain('Usage: pnpm fuzz [target...] [--seconds N] [--seed N]')
  })
})
