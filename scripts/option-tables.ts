// Writes the option tables on the packages' pages from the docstrings of the option types. `--check` fails instead if a table
// is stale. See scripts/docs/fill-tables.ts for the markers.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fillTables } from './docs/fill-tables.ts'

const isCheck = process.argv.includes('--check')
const pages = globSync(['packages/*/README.md', 'packages/*/docs/*.md']).toSorted()
const modules = new Map<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>()
let failures = 0

for (const page of pages) {
  const text = readFileSync(page, 'utf8')
  for (const [, path = ''] of text.matchAll(/^<!-- options: \w+ of (\S+) with \w+ -->$/gm)) {
    modules.set(path, await import(resolve(path)))
  }
  const filled = fillTables(text, {
    read: (path) => readFileSync(path, 'utf8'),
    defaults: (path, name) => modules.get(path)?.[name] ?? {},
  })
  if (filled === text) continue
  if (isCheck) {
    console.error(`${page}: an option table is stale. Run "node scripts/option-tables.ts".`)
    failures++
  } else {
    writeFileSync(page, filled)
    console.log(`${page}: wrote its option tables.`)
  }
}
process.exitCode = failures > 0 ? 1 : 0
