import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const PROGRAM = 'http1/servers/fw.ts'
/** Program and the file that it imports, relative to `src/`. */
const FILES = [PROGRAM, 'server-program.ts']
/** Packages that the program imports, directly or indirectly. */
const PACKAGES = ['types', 'options', 'client-address', 'log', 'access-log', 'core']

/**
 * Builds an application with the packages in their published form: compiled, and `@fw/core` as one bundle.
 *
 * @param folder Folder for the application
 * @returns the path of the program
 * @throws {Error} with the compiler output, if a package does not compile
 */
export async function makePublishedApp(folder: string): Promise<string> {
  const app = join(folder, 'published')
  for (const file of FILES) await cp(fileURLToPath(new URL(`../${file}`, import.meta.url)), join(app, file))
  const folders = PACKAGES.map((name) => join(ROOT, 'packages', name))
  await run(join(ROOT, 'node_modules/.bin/tsc'), ['-b', ...folders])
  for (const each of folders) await install(each, app)
  return join(app, PROGRAM)
}

/** Properties of `package.json` that determine the published package. */
interface Manifest {
  readonly name: string
  readonly scripts?: { readonly prepack?: string }
  readonly publishConfig: object
  readonly dependencies?: Readonly<Record<string, string>>
}

/** Copies the published form of a package into the application and links its dependencies. */
async function install(packageFolder: string, app: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as Manifest
  const { name, scripts = {}, publishConfig, dependencies = {} } = manifest
  if (scripts.prepack !== undefined) {
    const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`
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
