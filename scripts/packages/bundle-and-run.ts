import { cp, mkdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { runCommand } from './run-command.ts'

/** Bundler with the flags from its documentation, without flags for these packages. */
interface Bundler {
  readonly name: string
  readonly command: readonly string[]
  /** Path to the bundle below the output folder. */
  readonly file: string
}

/** The application, which imports every package and checks its own responses and log. */
const APPLICATION = 'apps/bundled/src/app.ts'

/** Module that simulates an old Node.js, in which the first import must fail with a message. */
const OLD_NODE = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.20.2' })`

/**
 * Bundles an application with every bundler, moves each bundle to an empty folder, and runs it there.
 *
 * @param installed Folder in which the packages are installed
 * @param nodes Paths to the Node.js versions that run each bundle
 * @returns the problems found
 */
export async function bundleAndRun(
  installed: string,
  folder: string,
  root: string,
  nodes: readonly string[],
): Promise<string[]> {
  await cp(join(root, APPLICATION), join(installed, 'app.ts'))
  const problems: string[] = []
  for (const { name, command, file } of bundlers(root)) {
    const built = await runCommand(command, installed)
    if (!built.ok || /warn|error/i.test(built.output)) problems.push(`${name} reports:\n${built.output}`)
    if (!built.ok) continue
    const empty = join(folder, name)
    await mkdir(empty)
    await cp(join(installed, 'bundles', name), empty, { recursive: true })
    problems.push(...(await runBundle(name, join(empty, file), empty, nodes)))
  }
  return problems
}

function bundlers(root: string): Bundler[] {
  const tools = join(root, 'apps/bundled/node_modules')
  const esbuild = [join(tools, '.bin/esbuild'), 'app.ts', '--bundle', '--platform=node', '--log-level=warning']
  return [
    {
      name: 'esbuild',
      command: [...esbuild, '--sourcemap', '--outfile=bundles/esbuild/app.js'],
      file: 'app.js',
    },
    {
      name: 'esbuild-esm',
      command: [...esbuild, '--format=esm', '--minify', '--outfile=bundles/esbuild-esm/app.mjs'],
      file: 'app.mjs',
    },
    {
      name: 'rolldown',
      command: [join(tools, '.bin/rolldown'), 'app.ts', '--platform', 'node', '--dir', 'bundles/rolldown'],
      file: 'app.js',
    },
    {
      name: 'bun',
      command: [bunPath(tools), 'build', 'app.ts', '--target', 'node', '--outfile', 'bundles/bun/app.js'],
      file: 'app.js',
    },
  ]
}

/** Returns the path to Bun in its platform package, because install scripts, which would link it, do not run. */
function bunPath(tools: string): string {
  const ofBun = createRequire(createRequire(join(tools, 'x.js')).resolve('bun/package.json'))
  const cpu = arch() === 'arm64' ? 'aarch64' : arch()
  return join(ofBun.resolve(`@oven/bun-${platform()}-${cpu}/package.json`), '../bin/bun')
}

async function runBundle(name: string, file: string, folder: string, nodes: readonly string[]): Promise<string[]> {
  const problems: string[] = []
  for (const node of nodes) {
    const { ok, output } = await runCommand([node, '--enable-source-maps', file], folder)
    if (!ok || output !== '') problems.push(`The bundle of ${name} fails on ${node}:\n${output}`)
  }
  const log = await readFile(join(folder, 'app.log'), 'utf8').catch(String)
  if (name === 'esbuild' && !log.includes('[app.ts:')) problems.push(`The source map has no effect on the log:\n${log}`)
  const old = await runCommand([process.execPath, '--import', OLD_NODE, file], folder)
  if (old.ok || !old.output.includes('@fw requires Node.js')) {
    problems.push(`The bundle of ${name} does not reject an old Node.js:\n${old.output}`)
  }
  return problems
}
