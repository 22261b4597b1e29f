import { fileURLToPath } from 'node:url'
import { namesEveryExport, runPage, runReadme } from '@fw/testing'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))
const README = `${FOLDER}README.md`
const PAGES = ['channels', 'production'].map((name) => `${FOLDER}docs/${name}.md`)

runPage(README, { from: FOLDER })
for (const page of PAGES) runReadme(page, { from: FOLDER })
runPage(`${FOLDER}docs/processes.md`, { from: FOLDER, installed: ['@fw/core', '@fw/sse'] })
namesEveryExport(
  README,
  ['index', 'redis', 'workers', 'testing'],
  [...PAGES, `${FOLDER}docs/streams.md`, `${FOLDER}docs/processes.md`],
)
