import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { tempFolder } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { PROGRAM } from './run.ts'

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'

interface Dialog {
  readonly code: number | null
  /** Everything that the terminal has shown. */
  readonly screen: string
}

/** Runs the program in a terminal. Types one line after each question. */
async function answer(cwd: string, args: readonly string[], lines: readonly string[]): Promise<Dialog> {
  const command = [process.execPath, PROGRAM, ...args, '--no-install', '--no-git'].join(' ')
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], { cwd })
  const exited = once(child, 'exit') as Promise<[number | null]>
  const rest = [...lines]
  let screen = ''
  let unanswered = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text
    unanswered += text
    // Every question ends with a default in parentheses.
    if (!unanswered.replaceAll(/\u001B\[\d*\w/g, '').endsWith('): ')) return
    unanswered = ''
    const line = rest.shift() ?? CTRL_C
    child.stdin.write(line === CTRL_C || line === CTRL_D ? line : `${line}\n`)
  })
  const [code] = await exited
  return { code, screen }
}

describe('a terminal', () => {
  it('asks four questions, and Enter accepts the defaults', async () => {
    await using folder = await tempFolder()
    const { code, screen } = await answer(folder.path, [], ['', '', '', ''])
    expect(code).toBe(0)
    expect(screen.match(/\): /g)).toHaveLength(4)
    expect(screen).toContain('Wrote the template "minimal"')
    expect(await readdir(folder.join('my-app'))).toEqual(
      ['.gitignore', 'README.md', 'package.json', 'src', 'test', 'tsconfig.json'].toSorted(),
    )
  })

  it('repeats a question with advice until the line is valid', async () => {
    await using folder = await tempFolder({ 'taken/file': '' })
    const lines = ['taken', 'shop', '5', 'API', 'maybe', 'n', 'everything', 'both']
    const { code, screen } = await answer(folder.path, [], lines)
    expect(code).toBe(0)
    for (const advice of [
      'is not empty, and its files must not be overwritten. Type another folder.',
      'Type a number from 1 to 4, or a name.',
      'Type y or n.',
      'Type none, docker, systemd or both.',
    ]) {
      expect(screen).toContain(advice)
    }
    expect(await readFile(folder.join('shop/package.json'), 'utf8')).toContain('"zod"')
    expect(await readdir(folder.join('shop/deploy'))).toEqual(['shop.service', 'shop.socket'])
    expect(await readdir(folder.join('shop'))).toContain('Dockerfile')
  })

  it('asks only for choices that the flags leave open', async () => {
    await using folder = await tempFolder()
    const { code, screen } = await answer(folder.path, ['shop', '--no-https', '--docker'], ['2'])
    expect(code).toBe(0)
    expect(screen.match(/\): /g)).toHaveLength(1)
  })

  it.each([
    ['Ctrl-C', CTRL_C],
    ['Ctrl-D', CTRL_D],
  ])('writes nothing after %s', async (_, key) => {
    await using folder = await tempFolder()
    const { code, screen } = await answer(folder.path, [], ['my-app', key])
    expect(code).toBe(130)
    expect(screen).toContain('Cancelled. Nothing was written.')
    expect(await readdir(folder.path)).toEqual([])
  })
})
