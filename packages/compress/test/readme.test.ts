import { fileURLToPath } from 'node:url'
import { namesEveryExport, runPage, runReadme } from '@fw/testing'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))
const README = `${FOLDER}README.md`
const REQUESTS = `${FOLDER}docs/requests.md`
const DICTIONARIES = `${FOLDER}docs/dictionaries.md`
const OPTIONS = `${FOLDER}docs/dictionary-options.md`

runPage(README, { from: FOLDER })
runPage(DICTIONARIES, { from: FOLDER, installed: ['@fw/core', '@fw/compress', '@fw/static'] })
runReadme(REQUESTS, { from: FOLDER })
namesEveryExport(README, ['index', 'dictionaries', 'request'], [DICTIONARIES, OPTIONS, REQUESTS])
