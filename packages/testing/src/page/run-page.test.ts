import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../temp-folder.ts'
import { runSteps, stepsOf } from './run-page.ts'

const FROM = fileURLToPath(new URL('../../', import.meta.url))

/** Runs a page with the given text. */
async function run(markdown: string): Promise<void> {
  await using folder = await tempFolder({ 'page.md': markdown })
  const path = folder.join('page.md')
  await runSteps('page.md', stepsOf(path), { from: FROM })
}

const fenced = (info: string, code: string): string => `\`\`\`${info}\n${code}\n\`\`\`\n\n`

describe('runPage', () => {
  it('runs programs, files and commands in order', async () => {
    const file = fenced('ts title="src/one.ts"', 'export const one = 1')
    const program = fenced('ts', "import { one } from './src/one.ts'\nconsole.log(one, { one }) // 1 { one: 1 }")
    const commands = fenced('console', '$ mkdir sub && cd sub\n$ pwd\n[…]/sub')
    await expect(run(file + program + commands)).resolves.toBeUndefined()
  })

  it.each([
    [
      'a program that does not print what its comment states',
      'ts',
      'console.log(1 + 1) // 3',
      'page.md:2: line 2 printed 2',
    ],
    ['a program that throws', 'ts', "throw new Error('thrown')", 'thrown'],
    ['a command that fails', 'console', '$ false', 'exit code 1'],
    ['a command with different output', 'console', '$ echo one\ntwo', 'expected:\ntwo'],
    ['a package that its folder does not have', 'console', '$ npm install left-pad', 'the dependency left-pad'],
    ['a background command that ends', 'console background', '$ echo one\ntwo', 'expected:\ntwo'],
  ])('rejects %s', async (_name, info, code, message) => {
    await expect(run(fenced(info, code))).rejects.toThrow(message)
  })

  it('rejects a no-run mark without a reason, and a page without a block to run', async () => {
    await expect(run(fenced('ts no-run', 'for (;;);'))).rejects.toThrow('must state a reason')
    await expect(run(fenced('json', '{}'))).rejects.toThrow('no block to run')
  })

  it("replaces the page's ports with free ports, and stops background commands", async () => {
    const server =
      "import { createServer } from 'node:http'\ncreateServer((_, res) => res.end('8080')).listen(8080, () => console.log('at 8080'))"
    const files = fenced('ts title="a.ts"', server)
    const commands =
      fenced('console background', '$ node a.ts\nat 8080') + fenced('console', '$ curl localhost:8080\n8080')
    await expect(run(files + commands + commands)).resolves.toBeUndefined()
  })
})
