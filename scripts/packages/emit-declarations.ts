import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PackedPackages } from './install-and-run.ts'
import { type CommandResult, pnpmCommand, runCommand } from './run-command.ts'

/**
 * Packages that are installed only as dependencies of other packages. Programs do not install them, so programs cannot import
 * them.
 */
const INDIRECT = new Set(['@fw/types', '@fw/options', '@fw/client-address', '@fw/http-fields'])
const PROGRAM = 'inferred-exports'

/**
 * Emits declarations for a program that exports values with inferred types, and compiles them without the program. The
 * compiler writes `import('@fw/types')` without an error if a package does not re-export a type (TS2742 in TypeScript
 * 5).
 *
 * @returns the result of the first step that failed, or of the last step
 */
export async function emitDeclarations(packed: PackedPackages, folder: string, root: string): Promise<CommandResult> {
  const tarballs = Object.entries(Object.fromEntries([...packed].map(([{ name }, { path }]) => [name, `file:${path}`])))
  const dependencies = Object.fromEntries(tarballs.filter(([name]) => !INDIRECT.has(name)))
  const files = {
    'package.json': { private: true, type: 'module', dependencies },
    'pnpm-workspace.yaml': { overrides: Object.fromEntries(tarballs), pmOnFail: 'ignore' },
    'tsconfig.json': tsconfig(root, { declaration: true, emitDeclarationOnly: true }, `${PROGRAM}.ts`),
    'emitted/tsconfig.json': tsconfig(root, { noEmit: true }, `${PROGRAM}.d.ts`),
  }
  await mkdir(join(folder, 'emitted'), { recursive: true })
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(content))
  await copyFile(join(root, `apps/demo/test/${PROGRAM}.ts`), join(folder, `${PROGRAM}.ts`))

  const tsc = join(root, 'node_modules/.bin/tsc')
  const steps = [
    [...pnpmCommand(), 'install', '--prefer-offline', '--prod', '--ignore-scripts'],
    [tsc, '-p', '.', '--outDir', 'emitted'],
    [tsc, '-p', 'emitted'],
  ]
  let result: CommandResult = { ok: false, stdout: '', output: 'No step has run' }
  for (const step of steps) {
    result = await runCommand(step, folder)
    if (!result.ok) break
  }
  return result
}

function tsconfig(root: string, emit: object, file: string): object {
  const compilerOptions = {
    ...emit,
    target: 'es2025',
    lib: ['es2025', 'esnext.disposable'],
    module: 'nodenext',
    strict: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  }
  return { compilerOptions, files: [file] }
}
