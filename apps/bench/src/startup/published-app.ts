import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const PROGRAM = 'http1/servers/fw.ts'
/** Of this folder's parent: the program, and what it imports by a path. */
const FILES = [PROGRAM, 'server-program.ts']
/** What the program imports by name, and what that imports. */
const PACKAGES = ['types', 'options', 'client-address', 'log', 'access-log', 'core']

/**
 * Makes an application of packages in the form in which users install them: compiled, and `@fw/core` in one file.
 *
 * @param folder For the application
 * @returns Path of the same program that runs from the sources otherwise
 * @throws {Error} with what the compilers say, if the packages cannot be made
 */
export async function makePublishedApp(folder: string): Promise<string> {
  const app = join(folder, 'published')
  for (const file of FILES) await cp(fileURLToPath(new URL(`../${file}`, import.meta.url)), join(app, file))
  const folders = PACKAGES.map((name) => join(ROOT, 'packages', name))
  await run(join(ROOT, 'node_modules/.bin/tsc'), ['-b', ...folders])
  for (const each of folders) await install(each, app)
  return join(app, PROGRAM)
}

/** What of a manifest says how its package is published. */
interface Manifest {
  readonly name: string
  readonly scripts?: { readonly prepack?: string }
  readonly publishConfig: object
  readonly dependencies?: Readonly<Record<string, string>>
}

/** Puts a package where the application finds it, as it would be packed, and leads to its dependencies from there. */
async function install(packageFolder: string, app: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as Manifest
  const { name, scripts = {}, publishConfig, dependencies = {} } = manifest
  if (scripts.prepack !== undefined) {
    const PATH = `${join(packageFolder, 'node_modules/.bin')}:${process.env['PATH']}`
    await run('sh', ['-c', scripts.prepack], { cwd: packageFolder, env: { ...process.env, PATH } })
  }
  const installed = join(app, 'node_modules', name)
  await cp(join(packageFolder, 'dist'), join(installed, 'dist'), { recursive: true })
  await writeFile(join(installed, 'package.json'), JSON.stringify({ ...manifest, ...publishConfig }))
  for (const [dependency, version] of Object.entries(dependencies)) {
    if (version.startsWith('workspace:')) continue
    const link = join(installed, 'node_modules', dependency)
    await mkdir(dirname(link), { recursive: true })
    await symlink(await realpath(join(packageFolder, 'node_modules', dependency)), link)
  }
}
