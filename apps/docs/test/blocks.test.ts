import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { checkPageTypes, pageBlocks, runPage } from '@fw/testing'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const DOCS = fileURLToPath(new URL('..', import.meta.url))
const CONTENT = `${DOCS}src/content/docs/`

/** Pages in this folder. The tests of each package run that package's pages. */
const WRITTEN = globSync(['quickstart.md', '{tutorial,recipes,from,deploy}/*.md'], { cwd: CONTENT })
  .toSorted()
  .filter((page) => page !== 'deploy/proxies.md' && page !== 'deploy/proxy-protocol.md' && page !== 'deploy/workers.md')
const IN_PACKAGES = globSync(['README.md', 'packages/*/README.md', 'packages/*/docs/*.md', 'docs/*.md'], { cwd: ROOT })

/** Returns the parts of the tutorial before this one, whose files it uses. */
function before(page: string): string[] {
  const parts = WRITTEN.filter((other) => other.startsWith('tutorial/') && page.startsWith('tutorial/') && other < page)
  return parts.map((other) => CONTENT + other)
}

for (const page of WRITTEN) runPage(CONTENT + page, { from: DOCS, before: before(page) })

/** Pages whose commands no test runs. The demo runs the complete example. */
const NOT_RUN = [
  ...globSync(['docs/*.md', 'packages/create/README.md', 'CONTRIBUTING.md', 'SECURITY.md'], { cwd: ROOT })
    .filter((page) => page !== 'docs/complete-example.md')
    .map((page) => ROOT + page),
  ...globSync(['index.md', 'why/{index,versions}.md'], { cwd: CONTENT }).map((page) => CONTENT + page),
]

it.each(NOT_RUN)('requires a reason for each command in %s that no test runs', (page) => {
  const commands = pageBlocks(readFileSync(page, 'utf8')).filter(({ language }) => /^(?:console|sh)$/.test(language))
  expect(commands.filter(({ noRun }) => noRun === undefined || noRun === '')).toEqual([])
})

it('finds no type error in the blocks of any page', async () => {
  const written = [...WRITTEN, 'index.md'].map((page) => ({ path: CONTENT + page, before: before(page) }))
  const errors = await checkPageTypes([...written, ...IN_PACKAGES.map((page) => ({ path: ROOT + page }))], {
    from: [DOCS, ...globSync(`${ROOT}packages/*`)],
    tsc: `${ROOT}node_modules/.bin/tsc`,
  })
  expect(errors).toEqual([])
})
