import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pnpmCommand, runCommand } from './run-command.ts'

/** Published package of this workspace. */
export interface PublishedPackage {
  readonly name: string
  /** Absolute path. */
  readonly folder: string
  /** Module specifiers that users can import, such as `@fw/sse` and `@fw/sse/register`. */
  readonly entries: readonly string[]
}

/** A packed package, as the registry would receive it. */
export interface Tarball {
  /** Absolute path. */
  readonly path: string
  /** Paths inside the tarball. */
  readonly files: readonly string[]
}

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly publishConfig?: { readonly exports?: Readonly<Record<string, unknown>> }
}

/** Returns the packages in `packages/` that are not private, sorted by folder. */
export function publishedPackages(root: string): PublishedPackage[] {
  return readdirSync(join(root, 'packages'))
    .toSorted()
    .map((name) => join(root, 'packages', name))
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map((folder) => ({ folder, manifest: readManifest(folder) as Manifest }))
    .filter(({ manifest }) => manifest.private !== true)
    .map(({ folder, manifest }) => ({ name: manifest.name, folder, entries: entryNames(manifest) }))
}

/** Packs a package. @throws {Error} with pnpm's output if packing fails */
// docs/decisions/0030
export async function pack({ folder }: PublishedPackage, destination: string): Promise<Tarball> {
  const result = await runCommand([...pnpmCommand(), 'pack', '--json', '--pack-destination', destination], folder)
  if (!result.ok) throw new Error(result.output)
  const packed = JSON.parse(result.stdout) as { filename: string; files: { path: string }[] }
  return { path: packed.filename, files: packed.files.map(({ path }) => path) }
}

/** Reads the `package.json` of a folder. The caller knows its type. */
export function readManifest(folder: string): unknown {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

function entryNames({ name, publishConfig }: Manifest): string[] {
  return Object.keys(publishConfig?.exports ?? {})
    .filter((entry) => !entry.endsWith('.json'))
    .map((entry) => name + entry.slice(1))
}
