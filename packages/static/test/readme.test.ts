import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { namesEveryExport, runReadme } from '@fw/testing'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))
const README = `${FOLDER}README.md`

for (const page of [README, `${FOLDER}docs/one-file.md`]) runReadme(page, { from: FOLDER })
namesEveryExport(README, ['index'], globSync(`${FOLDER}docs/*.md`))
