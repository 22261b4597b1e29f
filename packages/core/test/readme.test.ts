import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runReadme } from '@fw/testing'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))
const PAGES = globSync(['README.md', 'docs/*.md'], { cwd: FOLDER })

for (const page of PAGES) runReadme(FOLDER + page, { from: FOLDER })
runReadme(fileURLToPath(new URL('../../../docs/ownership.md', import.meta.url)), { from: FOLDER })
