// Checks every symbol that programs can reach through the entries of the published packages. Fails if an editor would show no
// text for a symbol, or if a program's declaration file could refer to a type that the program cannot import.
import { globSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { API } from 'typescript/unstable/sync'
import { type Found, type PublicApi, publicApi } from './docs/public-api.ts'

/** Programs install these packages, so their types can appear in other packages' declarations. */
const INSTALLED = ['@fw/core', '@fw/log']

const root = resolve('.')
const problems = new Set<string>()
const packages = new Map<string, readonly PublicApi[]>()

const api = new API()
for (const path of globSync('packages/*/package.json')) {
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest
  if (manifest.private === true) continue
  const config = resolve(dirname(path), 'tsconfig.json')
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
  if (project === undefined) throw new Error(`${config} is not a project.`)
  const entries = Object.values(manifest.exports).filter((entry) => entry.endsWith('.ts'))
  packages.set(
    manifest.name,
    entries.map((entry) => publicApi(project, resolve(dirname(path), entry), isOwn)),
  )
}
api.close()

const installed = INSTALLED.flatMap((name) => exportedPlaces(packages.get(name) ?? []))
for (const [name, entries] of packages) {
  const importable = new Set([...installed, ...exportedPlaces(entries)])
  for (const { undocumented, types } of entries) {
    for (const each of undocumented) {
      problems.add(`${placeOf(each)}: ${each.name} has no docstring. Describe what an editor should show for it.`)
    }
    for (const each of types) {
      if (importable.has(placeOf(each))) continue
      problems.add(
        `${placeOf(each)}: ${name} does not export this type (${each.name}). Export it, so that programs can import it.`,
      )
    }
  }
}

for (const problem of [...problems].toSorted()) console.error(problem)
process.exitCode = problems.size > 0 ? 1 : 0

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports: Readonly<Record<string, string>>
}

function exportedPlaces(entries: readonly PublicApi[]): string[] {
  return entries.flatMap(({ exported }) => exported.map(placeOf))
}

function placeOf({ path, line }: Found): string {
  return `${relative(root, path)}:${line}`
}

function isOwn(path: string): boolean {
  return path.startsWith(`${root}/packages/`) && !path.includes('/node_modules/')
}
