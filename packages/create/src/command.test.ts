import { describe, expect, it } from 'vitest'
import { runCommand } from './command.ts'

describe('runCommand', () => {
  it.each([
    ['true', 0],
    ['false', 1],
    ['no-such-program --version', 127],
  ])('resolves to the exit code of %j', async (command, code) => {
    expect(await runCommand(command, '.', 'ignore')).toBe(code)
  })

  it('runs in the given folder', async () => {
    expect(await runCommand('test -f main.ts', import.meta.dirname, 'ignore')).toBe(0)
    expect(await runCommand('test -f main.ts', '/', 'ignore')).toBe(1)
  })
})
