import { fileURLToPath } from 'node:url'
import { namesEveryExport, runPage } from '@fw/testing'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))
const README = `${FOLDER}README.md`
const DICTIONARIES = `${FOLDER}docs/dictionaries.md`

runPage(README, { from: FOLDER })
runPage(DICTIONARIES, { from: FOLDER, installed: ['@fw/core', '@fw/compress', '@fw/static'] })
namesEveryExport(README, ['index', 'dictionaries'], [DICTIONARIES])
