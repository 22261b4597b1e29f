import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { readmeBlocks } from '../../packages/testing/src/readme-blocks.ts'
import { runCommand } from './run-command.ts'

/**
 * Compiles the examples of the READMEs against the installed packages, and runs those that end by themselves.
 *
 * @param installed Folder in which the packages are installed, with a `tsconfig.json`
 * @param readmes Paths of the READMEs and of other pages. Their examples may need the packages and `public/index.html`, and nothing else
 * @param nodes Paths of the versions of Node.js that run each example
 * @returns the problems found
 */
export async function runReadmes(
  installed: string,
  readmes: readonly string[],
  root: string,
  nodes: readonly string[],
): Promise<string[]> {
  const programs: string[] = []
  const files: string[] = []
  for (const readme of readmes) {
    for (const { code, line, isProgram } of readmeBlocks(await readFile(readme, 'utf8'))) {
      const page = relative(root, readme).replace(/\.md$/, '').replaceAll('/', '-')
      const file = `${page}-${line}.ts`
      await writeFile(join(installed, file), code)
      files.push(file)
      if (isProgram) programs.push(file)
    }
  }
  // `docs/complete-example.md` creates this file in a shell.
  await mkdir(join(installed, 'public'), { recursive: true })
  await writeFile(join(installed, 'public/index.html'), '<h1>hello</h1>\n')
  await writeFile(join(installed, 'readmes.json'), JSON.stringify({ extends: './tsconfig.json', files }))

  const compiled = await runCommand([join(root, 'node_modules/.bin/tsc'), '-p', 'readmes.json'], installed)
  const problems = compiled.ok ? [] : [compiled.output]
  for (const node of nodes) {
    for (const file of programs) {
      const { ok, output } = await runCommand([node, file], installed)
      if (!ok || /\bWarning: /.test(output)) problems.push(`${file} on ${node}:\n${output}`)
    }
  }
  return problems
}
