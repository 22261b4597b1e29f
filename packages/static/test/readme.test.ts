import { fileURLToPath } from 'node:url'
import { namesEveryExport, runPage, runReadme } from '@fw/testing'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))
const README = `${FOLDER}README.md`
const ONE_FILE = `${FOLDER}docs/one-file-and-caching.md`

runPage(README, { from: FOLDER })
runReadme(ONE_FILE, { from: FOLDER })
namesEveryExport(README, ['index'], [ONE_FILE])
