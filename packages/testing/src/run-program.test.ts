import { expect, it } from 'vitest'
import { runProgram } from './run-program.ts'
import { tempFolder } from './temp-folder.ts'

it.each([
  ['a program that ends well', 'const one: number = 1', 150_000, /^exit code 0$/],
  ['an exit code', 'console.log("seen"); process.exitCode = 3', 150_000, /^exit code 3\nseen\n$/],
  ['a throw', 'throw new Error("thrown")', 150_000, /^exit code 1\n[^]*thrown/],
  ['a program that does not end', 'setInterval(() => {}, 1000)', 1000, /^still running after 1000 ms/],
])('tells how %s', async (_name, code, timeoutMs, expected) => {
  await using folder = await tempFolder({ 'program.ts': code })
  expect(await runProgram(folder.join('program.ts'), folder.path, timeoutMs)).toMatch(expected)
})
