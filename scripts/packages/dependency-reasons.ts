import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const KINDS = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'] as const

type Manifest = Partial<Record<(typeof KINDS)[number], Readonly<Record<string, string>>>>

/** Compares `docs/dependencies.md` with the dependencies of all packages. @returns the differences */
export function checkDependencyReasons(root: string): string[] {
  const document = readFileSync(join(root, 'docs/dependencies.md'), 'utf8')
  const cells = Array.from(document.matchAll(/^\| (`[^|]+)/gm), ([, cell = '']) => cell)
  const listed = new Set(cells.flatMap((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name)))
  const used = new Set(manifestPaths(root).flatMap(dependencyNames))
  return [
    ...[...used.difference(listed)].map((name) => `docs/dependencies.md does not list ${name}`),
    ...[...listed.difference(used)].map((name) => `docs/dependencies.md lists ${name}, but no package depends on it`),
  ]
}

function manifestPaths(root: string): string[] {
  const folders = ['packages', 'apps', 'examples'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => join(root, parent, name)),
  )
  return [root, ...folders].map((folder) => join(folder, 'package.json')).filter((path) => existsSync(path))
}

function dependencyNames(path: string): string[] {
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest
  return KINDS.flatMap((kind) => Object.keys(manifest[kind] ?? {}))
    .filter((name) => !name.startsWith('@fw/'))
    .map((name) => (name.startsWith('@types/') ? '@types/*' : name))
}
