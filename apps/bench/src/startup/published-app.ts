import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, realpath, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const PROGRAM = 'http1/servers/fw.ts'
/** Of this folder's parent: the program, and what it imports by a path. */
const FILES = [PROGRAM, 'server-program.ts']
/** What the program imports by name, and what that imports. */
const PACKAGES = ['types', 'client-address', 'log', 'access-log', 'core']

/**
 * Makes an application of packages in the form in which users install them: compiled, and `@fw/core` in one file.
 *
 * @param folder For the application
 * @returns Path of the same program that runs from the sources otherwise
 * @throws {Error} with what the compiler or pnpm says, if the packages cannot be made
 */
export async function makePublishedApp(folder: string): Promise<string> {
  const app = join(folder, 'published')
  for (const file of FILES) await cp(fileURLToPath(new URL(`../${file}`, import.meta.url)), join(app, file))
  const folders = PACKAGES.map((name) => join(ROOT, 'packages', name))
  await run(join(ROOT, 'node_modules/.bin/tsc'), ['-b', ...folders])
  for (const each of folders) await install(each, app)
  return join(app, PROGRAM)
}

/** Unpacks a package where the application finds it, and leads to its dependencies from there. */
async function install(packageFolder: string, app: string): Promise<void> {
  const { name, dependencies = {} } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly dependencies?: Readonly<Record<string, string>>
  }
  const tarball = join(app, `${name.replace('/', '-')}.tgz`)
  await run('npx', ['--yes', 'pnpm@12', 'pack', '--out', tarball], { cwd: packageFolder })
  const installed = join(app, 'node_modules', name)
  await mkdir(installed, { recursive: true })
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed])
  for (const [dependency, version] of Object.entries(dependencies)) {
    if (version.startsWith('workspace:')) continue
    const link = join(installed, 'node_modules', dependency)
    await mkdir(dirname(link), { recursive: true })
    await symlink(await realpath(join(packageFolder, 'node_modules', dependency)), link)
  }
}
