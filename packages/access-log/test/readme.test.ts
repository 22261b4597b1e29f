import { fileURLToPath } from 'node:url'
import { namesEveryExport, runPage, runReadme } from '@fw/testing'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))
const README = `${FOLDER}README.md`
const PAGES = ['options', 'formats'].map((name) => `${FOLDER}docs/${name}.md`)

runPage(README, { from: FOLDER })
for (const page of PAGES) runReadme(page, { from: FOLDER })
namesEveryExport(README, ['index'], PAGES)
