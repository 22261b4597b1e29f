import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runPage, runReadme } from '@fw/testing'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))
/** Folder of a package that depends on the bundlers. */
const BUNDLED = fileURLToPath(new URL('../../../apps/bundled', import.meta.url))
/** Pages with commands, and the packages that their readers have installed. */
const WITH_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'README.md': [],
  'docs/bundling.md': ['@fw/core', 'esbuild', 'rolldown'],
  'docs/tls.md': ['@fw/core'],
}

for (const [page, installed] of Object.entries(WITH_COMMANDS))
  runPage(FOLDER + page, { from: [FOLDER, BUNDLED], installed })
for (const page of globSync('docs/*.md', { cwd: FOLDER })) {
  if (!Object.hasOwn(WITH_COMMANDS, page)) runReadme(FOLDER + page, { from: FOLDER })
}
runReadme(fileURLToPath(new URL('../../../docs/ownership.md', import.meta.url)), { from: FOLDER })
