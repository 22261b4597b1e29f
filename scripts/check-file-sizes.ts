// Fails if a source file is too long, or too short for a separate file (CONTRIBUTING.md, "Conventions").
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const MAX_LINES = 400
/** Minimum number of lines. A shorter file needs three importers, its own test, or an entry in `exports`. */
const MIN_LINES = 25
const MIN_IMPORTERS = 3

const sources = globSync(['packages/*/src/**/*.ts', 'apps/*/src/**/*.ts']).toSorted()
const importers = countImporters(globSync(['packages/*/{src,test}/**/*.ts', 'apps/*/{src,test}/**/*.ts']))
const exported = exportedFiles()
const problems: string[] = []

for (const path of sources) {
  if (path.endsWith('.test.ts')) continue
  const lines = readFileSync(path, 'utf8').split('\n').length - 1
  if (lines > MAX_LINES) problems.push(`${path}: ${lines} lines. Split it: the limit is ${MAX_LINES} lines.`)
  if (lines >= MIN_LINES || !path.startsWith('packages/') || isAllowedShort(resolve(path))) continue
  problems.push(
    `${path}: ${lines} lines. Merge it into its importer, or add a test: a file below ${MIN_LINES} lines needs ` +
      `${MIN_IMPORTERS} importers, a test or an entry in exports.`,
  )
}

for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0

function isAllowedShort(path: string): boolean {
  return (
    (importers.get(path) ?? 0) >= MIN_IMPORTERS || existsSync(path.replace(/\.ts$/, '.test.ts')) || exported.has(path)
  )
}

function countImporters(paths: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const path of paths) {
    for (const target of importsOf(path)) counts.set(target, (counts.get(target) ?? 0) + 1)
  }
  return counts
}

function importsOf(path: string): string[] {
  const specifiers = readFileSync(path, 'utf8').matchAll(/(?:from|import\(|URL\() ?'(\.[^']+)'/g)
  return Array.from(specifiers, ([, specifier]) => resolve(dirname(path), String(specifier)))
}

/** Returns the entry files of all packages, and the files that they import or re-export. */
function exportedFiles(): Set<string> {
  const files = new Set<string>()
  for (const manifest of globSync('packages/*/package.json')) {
    for (const [, entry] of readFileSync(manifest, 'utf8').matchAll(/"\.\/(src\/[^"*]+\.ts)"/g)) {
      const path = resolve(dirname(manifest), String(entry))
      files.add(path)
      for (const target of importsOf(path)) files.add(target)
    }
  }
  return files
}
