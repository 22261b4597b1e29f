import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ENTRY_PEERS, type PackedPackages } from './install-and-run.ts'
import { runCommand } from './run-command.ts'
import { checkInstalledPackages, type PackageLock } from './size-budgets.ts'

/**
 * Installs the tarballs with npm, runs a program with every Node.js version, and counts the installed packages.
 *
 * @param program Path to the program, which is copied to an empty folder
 * @param nodes Paths to the Node.js versions
 * @returns the problems found
 */
export async function installWithNpm(
  packed: PackedPackages,
  folder: string,
  program: string,
  nodes: readonly string[],
): Promise<string[]> {
  const dependencies = Object.fromEntries([...packed].map(([{ name }, { path }]) => [name, `file:${path}`]))
  await mkdir(folder)
  const manifest = { private: true, type: 'module', dependencies: { ...dependencies, ...ENTRY_PEERS } }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(folder, 'program.ts'), await readFile(program))
  const install = ['npm', 'install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund']
  const installed = await runCommand(install, folder)
  if (!installed.ok) return [installed.output]

  const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as PackageLock
  const problems = [...packed.keys()].flatMap(({ name }) => checkInstalledPackages(name, lock))
  for (const node of nodes) {
    const { ok, output } = await runCommand([node, 'program.ts'], folder)
    if (!ok) problems.push(`${node}:\n${output}`)
  }
  return problems
}
