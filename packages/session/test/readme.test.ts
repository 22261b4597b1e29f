import { fileURLToPath } from 'node:url'
import { namesEveryExport, runPage } from '@fw/testing'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))
const README = `${FOLDER}README.md`
const STORES = `${FOLDER}docs/stores.md`

runPage(README, { from: FOLDER })
runPage(STORES, { from: FOLDER, installed: ['@fw/core', '@fw/session'] })
namesEveryExport(README, ['index', 'redis'], [STORES])
