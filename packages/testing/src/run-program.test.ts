import { describe, expect, it } from 'vitest'
import { runProgram } from './run-program.ts'
import { tempFolder } from './temp-folder.ts'

describe('runProgram', () => {
  it.each([
    ['success', 'const one: number = 1', 150_000, /^exit code 0$/],
    ['an exit code and the output', 'console.log("seen"); process.exitCode = 3', 150_000, /^exit code 3\nseen\n$/],
    ['an uncaught exception', 'throw new Error("thrown")', 150_000, /^exit code 1\n[^]*thrown/],
    ['a timeout', 'setInterval(() => {}, 1000)', 1000, /^still running after 1000 ms/],
  ])('reports %s', async (_name, code, timeoutMs, expected) => {
    await using folder = await tempFolder({ 'program.ts': code })
    expect(await runProgram(folder.join('program.ts'), folder.path, timeoutMs)).toMatch(expected)
  })
})
