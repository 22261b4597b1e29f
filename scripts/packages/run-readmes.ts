import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { scriptOf } from '../../packages/testing/src/page/expected-output.ts'
import { pageBlocks } from '../../packages/testing/src/page/page-blocks.ts'
import { readmeBlocks } from '../../packages/testing/src/readme-blocks.ts'
import { runCommand } from './run-command.ts'

/**
 * Compiles the README examples against the installed packages, and runs the examples that end by themselves. Each README gets a
 * separate folder, which is empty until its `sh` blocks have run. The folder of a page without `sh` blocks contains a
 * `package.json`.
 *
 * @param installed Folder in which the packages are installed, with a `tsconfig.json`
 * @param readmes Paths to the READMEs, and to other pages that contain their whole setup
 * @param nodes Paths to the Node.js versions that run each example
 * @returns the problems found
 */
export async function runReadmes(
  installed: string,
  readmes: readonly string[],
  root: string,
  nodes: readonly string[],
): Promise<string[]> {
  const problems: string[] = []
  const programs: { readonly folder: string; readonly file: string }[] = []
  const files: string[] = []
  for (const readme of readmes) {
    // Not below `installed`, because its package.json would apply to this folder.
    const page = relative(root, readme).replace(/\.md$/, '').replaceAll('/', '-')
    const folder = `${installed}-${page}`
    await mkdir(folder)
    await symlink(join(installed, 'node_modules'), join(folder, 'node_modules'))
    const markdown = await readFile(readme, 'utf8')
    const setup = setupOf(markdown)
    // A page without commands continues in the reader's project.
    if (setup.length === 0) await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    for (const command of setup) {
      const { ok, output } = await runCommand(['bash', '-c', command], folder)
      if (!ok) problems.push(`${readme}: ${command}\n${output}`)
    }
    for (const { code, line, isProgram } of readmeBlocks(markdown)) {
      const file = `example-${line}.ts`
      await writeFile(join(folder, file), code)
      files.push(join(folder, file))
      if (isProgram) programs.push({ folder, file })
    }
  }
  await writeFile(join(installed, 'readmes.json'), JSON.stringify({ extends: './tsconfig.json', files }))

  const compiled = await runCommand([join(root, 'node_modules/.bin/tsc'), '-p', 'readmes.json'], installed)
  if (!compiled.ok) problems.push(compiled.output)
  for (const node of nodes) {
    for (const { folder, file } of programs) {
      const { ok, output } = await runCommand([node, file], folder)
      if (!ok || /\bWarning: /.test(output)) problems.push(`${join(folder, file)} on ${node}:\n${output}`)
    }
  }
  return problems
}

/** Returns the commands of the `sh` blocks of a README. The packages are already installed. */
function setupOf(markdown: string): string[] {
  return pageBlocks(markdown)
    .filter(({ language, noRun }) => language === 'sh' && noRun === undefined)
    .flatMap(({ code }) => scriptOf(code))
    .filter((command) => !command.startsWith('npm install'))
}
