import { fileURLToPath } from 'node:url'
import { namesEveryExport, runReadme } from '@fw/testing'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))
const README = `${FOLDER}README.md`
const PAGES = ['options', 'formats'].map((name) => `${FOLDER}docs/${name}.md`)

for (const page of [README, ...PAGES]) runReadme(page, { from: FOLDER })
namesEveryExport(README, ['index'], PAGES)
