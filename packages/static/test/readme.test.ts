import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { namesEveryExport, runPage, runReadme } from '@fw/testing'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))
const README = `${FOLDER}README.md`

runPage(README, { from: FOLDER })
runReadme(`${FOLDER}docs/one-file.md`, { from: FOLDER })
namesEveryExport(README, ['index'], globSync(`${FOLDER}docs/*.md`))
