import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import type { PublishedPackage, Tarball } from './published-package.ts'
import { type CommandResult, pnpmCommand, runCommand } from './run-command.ts'

/** Packages and their tarballs. */
export type PackedPackages = ReadonlyMap<PublishedPackage, Tarball>

/** Compilers, in addition to this workspace's compiler, that must accept the declarations; as packages to install. */
const COMPILERS = { 'typescript-5': 'npm:typescript@~5.9.3', 'typescript-6': 'npm:typescript@~6.0.2' }

/** Peer dependencies of entries that cannot be imported without them. Users install them too. */
export const ENTRY_PEERS = { jose: '^6.2.18' }

/** Packages that the examples of the READMEs import. */
const README_PACKAGES = { helmet: '^8.3.0' }

/** Package with the oldest supported Node.js for this platform. Platforms without such a package skip it. */
const OLDEST_NODE = {
  name: 'oldest-node',
  source: `npm:node-${platform() === 'darwin' && arch() === 'arm64' ? 'bin-' : ''}${platform()}-${arch()}@^24.0.0`,
}

/**
 * Installs the tarballs into an empty folder, next to the compilers. Then compiles a program that imports every entry and
 * serves one request, with every compiler. Runs it on every Node.js version.
 *
 * @returns the result of the first step that failed, or of the last step
 */
export async function installAndRun(packed: PackedPackages, folder: string, root: string): Promise<CommandResult> {
  const tarballs = Object.fromEntries([...packed].map(([{ name }, { path }]) => [name, `file:${path}`]))
  const entries = [...packed.keys()].flatMap((each) => each.entries)
  const files = {
    'package.json': JSON.stringify({
      private: true,
      type: 'module',
      dependencies: { ...tarballs, ...ENTRY_PEERS, ...README_PACKAGES, ...COMPILERS },
      optionalDependencies: { [OLDEST_NODE.name]: OLDEST_NODE.source },
    }),
    // The packages depend on versions of each other that are not in the registry yet.
    'pnpm-workspace.yaml': JSON.stringify({ overrides: tarballs, pmOnFail: 'ignore' }),
    'tsconfig.json': JSON.stringify(tsconfig(root)),
    'program.ts': program(entries),
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)

  const steps = [
    [...pnpmCommand(), 'install', '--prefer-offline', '--prod', '--ignore-scripts'],
    [join(root, 'node_modules/.bin/tsc'), '-p', 'tsconfig.json'],
    ...Object.keys(COMPILERS).map((name) => [process.execPath, `node_modules/${name}/bin/tsc`, '-p', 'tsconfig.json']),
  ]
  let result: CommandResult = { ok: false, stdout: '', output: 'No step has run' }
  for (const step of steps) {
    result = await runCommand(step, folder)
    if (!result.ok) return result
  }
  for (const node of nodesOf(folder)) {
    result = await runCommand([node, 'program.ts'], folder)
    if (!result.ok) break
  }
  return result
}

/** Returns the path to the current Node.js, and to the oldest supported one if the folder contains it. */
export function nodesOf(folder: string): string[] {
  const oldest = join(folder, 'node_modules', OLDEST_NODE.name, 'bin/node')
  return existsSync(oldest) ? [process.execPath, oldest] : [process.execPath]
}

/** Returns a strict configuration without `skipLibCheck`, so that the compiler checks the published declarations. */
function tsconfig(root: string): object {
  const compilerOptions = {
    // TypeScript 5.9 does not support a later target.
    target: 'es2024',
    lib: ['es2024', 'esnext'],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  }
  return { compilerOptions, files: ['program.ts'] }
}

function program(entries: readonly string[]): string {
  return `${entries.map((entry, at) => `import * as entry${at} from '${entry}'`).join('\n')}
import { Server } from '@fw/core'

for (const entry of [${entries.map((_, at) => `entry${at}`).join(', ')}]) void entry
await using server = new Server()
server.router().get('/:name', (ctx) => ctx.params.name)
await server.listen({ port: 0, host: '127.0.0.1' })
const response = await fetch(new URL('/packed', server.url))
const text = await response.text()
if (response.status !== 200 || text !== 'packed') throw new Error(\`Expected 200 packed, got \${response.status} \${text}\`)
`
}
