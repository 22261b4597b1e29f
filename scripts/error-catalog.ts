// Writes the messages for each error code into its page in docs/errors, and writes the list of all codes. `--check` fails
// instead if a page is stale. Both fail if an error for users has no code, or a code has no page.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fillCodes, fillMessages, pageFaults } from './docs/error-pages.ts'
import { type ErrorSite, errorSites } from './docs/error-sites.ts'

const LIST = 'packages/core/docs/error-codes.md'
const COMMAND = 'Run "node scripts/error-catalog.ts".'
const isCheck = process.argv.includes('--check')

const sites = errorSites(publishedConfigs())
const byCode = Map.groupBy(
  sites.flatMap((site) => site.codes.map((code): [string, ErrorSite] => [code, site])),
  ([code]) => code,
)
const pages = new Map(
  globSync('docs/errors/*.md')
    .toSorted()
    .map((path) => [basename(path, '.md'), readFileSync(path, 'utf8')]),
)
const problems = sites
  .filter(({ codes }) => codes.length === 0)
  .map(({ at, name }) => `${at}: ${name} has no code. Wrap it: withCode('FW_…', new ${name}(…)).`)
for (const code of byCode.keys()) {
  if (!pages.has(code)) problems.push(`docs/errors/${code}.md does not exist. Describe the cause and the fix there.`)
}
for (const [code, text] of pages) {
  const entries = byCode.get(code)
  if (entries === undefined) problems.push(`docs/errors/${code}.md: no error has this code. Delete the page.`)
  else
    update(
      `docs/errors/${code}.md`,
      text,
      fillMessages(
        text,
        entries.map(([, site]) => site),
      ),
    )
  problems.push(...pageFaults(code, text))
}
const list = readFileSync(LIST, 'utf8')
update(LIST, list, fillCodes(list, pages))

for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0

function update(path: string, text: string, filled: string): void {
  if (text === filled) return
  if (isCheck) problems.push(`${path} is stale. ${COMMAND}`)
  else {
    writeFileSync(path, filled)
    console.log(`${path}: wrote the errors.`)
  }
}

/** Returns the configuration of each published package that programs import. Omits commands, which print their errors. */
function publishedConfigs(): string[] {
  const manifests = globSync('packages/*/package.json').toSorted()
  return manifests
    .filter((path) => {
      const manifest = JSON.parse(readFileSync(path, 'utf8')) as { private?: boolean; bin?: object }
      return manifest.private !== true && manifest.bin === undefined
    })
    .map((path) => path.replace('package.json', 'tsconfig.json'))
}
